/**
 * {@code Y = WᵀKW} and its gradient: {@link
 * io.github.spd4j.internal.operators.congruence.Congruence} has the formulas and is where to start.
 *
 * <p>Every way to compute it lies here: …Host by fused FLOAT loops on a CPU, …Batch over an {@link
 * io.github.spd4j.internal.backend.Algebra}, …Graph as a definition in SameDiff. Internal: users of
 * the layers need nothing of it, and it may change with any release.
 */
package io.github.spd4j.internal.operators.congruence;
