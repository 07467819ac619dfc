/**
 * Pure geometry: the Stiefel manifold of matrices with orthonormal columns ({@link
 * io.github.spd4j.manifold.Stiefel}) and the symmetric positive definite matrices ({@link
 * io.github.spd4j.manifold.Spd}).
 *
 * <p>Functions on arrays without state. What knows of learning rates or networks does not belong
 * here. No method changes its arguments.
 */
package io.github.spd4j.manifold;
