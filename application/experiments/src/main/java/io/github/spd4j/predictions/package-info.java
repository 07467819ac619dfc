/**
 * Classifies images with the trained network of a run, and shows which parts of an image decided
 * the class.
 *
 * <p>Training and testing belong to {@link io.github.spd4j.experiments}.
 */
package io.github.spd4j.predictions;
