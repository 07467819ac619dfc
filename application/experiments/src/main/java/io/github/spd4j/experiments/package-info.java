/**
 * The paper's experiments: its methods and figures, backbones by name, runs that can be resumed,
 * and what a run leaves behind.
 *
 * <p>Data sets are read in {@link io.github.spd4j.datasets}; options are parsed in the module of
 * the command line, and reports and tables are laid out in theirs.
 */
package io.github.spd4j.experiments;
