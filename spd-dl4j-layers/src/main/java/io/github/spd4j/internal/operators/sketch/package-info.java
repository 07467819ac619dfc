/**
 * The {@linkplain io.github.spd4j.internal.operators.sketch.TensorSketch tensor sketch} of a
 * matrix, its adjoint, and its definition in SameDiff.
 *
 * <p>Internal: users of the layers need nothing of it, and it may change with any release.
 */
package io.github.spd4j.internal.operators.sketch;
