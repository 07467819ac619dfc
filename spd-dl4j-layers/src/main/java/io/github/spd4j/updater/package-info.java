/**
 * Updaters for parameters on the Stiefel manifold: {@link io.github.spd4j.updater.StiefelSgd} and
 * {@link io.github.spd4j.updater.StiefelAdam}, ordinary {@link
 * org.nd4j.linalg.learning.config.IUpdater}s.
 *
 * <p>DL4J shows an updater the gradient but not the parameter. A layer whose W lives on the
 * manifold therefore returns a {@link io.github.spd4j.updater.StiefelHandOver} as W's
 * regularisation, which DL4J calls, with W, right before the updater. The geometry itself is in
 * {@link io.github.spd4j.manifold}.
 *
 * @serial exclude
 */
package io.github.spd4j.updater;
