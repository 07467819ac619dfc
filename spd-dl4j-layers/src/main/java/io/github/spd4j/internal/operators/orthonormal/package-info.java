/**
 * The matrices with orthonormal columns that belong to a matrix: {@link
 * io.github.spd4j.internal.operators.orthonormal.OrthonormalFactor} is where to start, for Q of a
 * QR decomposition and for the polar factor.
 *
 * <p>Every way to compute it lies here: …Host by fused FLOAT loops on a CPU, …Batch over an {@link
 * io.github.spd4j.internal.backend.Algebra}, …Graph as a definition in SameDiff. Internal: users of
 * the layers need nothing of it, and it may change with any release.
 */
package io.github.spd4j.internal.operators.orthonormal;
