/**
 * How the layers execute. Not API: nothing outside {@link io.github.spd4j.layers} uses it, and it
 * may change with any release.
 *
 * <p>{@link io.github.spd4j.internal.runtime.SpdRuntimeLayer} does for all layers what DL4J asks of
 * one; each layer adds its two passes, by an operator, or as a {@link
 * io.github.spd4j.internal.runtime.DefinedRuntimeLayer} by its definition in SameDiff; a {@link
 * io.github.spd4j.internal.runtime.DifferentiatedRuntimeLayer} leaves both to SameDiff. DL4J's own
 * runtime for SameDiff layers is not used because it doubles gradients (1.0.0-M2.1), ignores {@code
 * setParam}, and builds its graph for one size of image.
 *
 * @serial exclude
 */
package io.github.spd4j.internal.runtime;
