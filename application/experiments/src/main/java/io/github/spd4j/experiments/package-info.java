/**
 * The paper's experiments: its methods and figures, backbones by name, runs that can be resumed,
 * and what a run leaves behind.
 *
 * <p>Data sets are read in {@link io.github.spd4j.datasets}; the commands are in {@code cli}, a
 * module of its own.
 */
package io.github.spd4j.experiments;
