/**
 * Tables of the results of runs, with the paper's figures beside them. Running the methods belongs
 * to {@link io.github.spd4j.experiments}.
 */
package io.github.spd4j.tables;
