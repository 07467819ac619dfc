/**
 * The paper's experiments as commands: data sets in pairs of kind and folder, a run for each
 * method, and the paper's table of all runs in the end.
 *
 * <p>How a run goes belongs to {@link io.github.spd4j.examples.experiments}.
 */
package io.github.spd4j.examples.paper;
