/**
 * The normalised vector of a symmetric matrix, and its gradient: {@link
 * io.github.spd4j.internal.operators.vectors.Vectors} is where to start, {@link
 * io.github.spd4j.internal.operators.vectors.VectorNormalization} has the formulas.
 *
 * <p>Every way to compute it lies here: …Host by fused FLOAT loops on a CPU, …Batch over an {@link
 * io.github.spd4j.internal.backend.Algebra}, …Graph as a definition in SameDiff. Internal: users of
 * the layers need nothing of it, and it may change with any release.
 *
 * @serial exclude
 */
package io.github.spd4j.internal.operators.vectors;
