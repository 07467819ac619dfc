/**
 * Classifies images with the trained network of a run, and shows which places of an image decided.
 *
 * <p>How networks are trained and tested belongs to {@link io.github.spd4j.experiments}.
 */
package io.github.spd4j.predictions;
