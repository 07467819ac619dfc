/**
 * The paper's experiments: its methods and figures, backbones by name, runs that can be resumed,
 * and what a run leaves behind.
 *
 * <p>{@code Preparation} checks everything and gives an {@code Experiment} for each data set, which
 * has what its runs share. {@code RunQueue} runs them. A {@code Run} lets a {@code Search} choose
 * between {@code Candidate}s, trains a {@code GraftedNetwork}, tests it, and keeps a {@code
 * RunResult}.
 *
 * <p>Data sets are read in {@link io.github.spd4j.datasets}; options are parsed in the module of
 * the command line, and reports and tables are laid out in theirs.
 */
package io.github.spd4j.experiments;
