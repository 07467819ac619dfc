/**
 * The command {@code spd quickstart}: textures made by a program, a small backbone, three heads,
 * one report.
 *
 * <p>Experiments on data sets belong to {@link io.github.spd4j.experiments}; a quickstart to copy
 * from is among the examples.
 */
package io.github.spd4j.quickstart;
