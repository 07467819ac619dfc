/**
 * Pure geometry: the Stiefel manifold of matrices with orthonormal columns ({@link
 * io.github.spd4j.manifold.Stiefel}) and the symmetric positive definite matrices ({@link
 * io.github.spd4j.manifold.Spd}).
 *
 * <p>Functions on arrays without state; no method changes its arguments, unless it says so. {@link
 * io.github.spd4j.manifold.StiefelGeometry} may keep arrays to use them again. What knows of
 * learning rates or networks does not belong here.
 */
package io.github.spd4j.manifold;
