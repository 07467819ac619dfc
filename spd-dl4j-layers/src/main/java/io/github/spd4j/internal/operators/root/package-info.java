/**
 * The square root of a matrix by Newton–Schulz iterations, and its gradient: {@link
 * io.github.spd4j.internal.operators.root.Root} has the formulas and is where to start. {@link
 * io.github.spd4j.internal.operators.root.SparseInverse} makes inverses by the same iterations.
 *
 * <p>Every way to compute it lies here: …Host by fused FLOAT loops on a CPU, …Batch over an {@link
 * io.github.spd4j.internal.backend.Algebra}, …Graph as a definition in SameDiff. Internal: users of
 * the layers need nothing of it, and it may change with any release.
 */
package io.github.spd4j.internal.operators.root;
