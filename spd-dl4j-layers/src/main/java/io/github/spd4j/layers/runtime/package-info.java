/**
 * How the layers execute. Not API: nothing outside {@link io.github.spd4j.layers} uses it, and it
 * may change with any release.
 *
 * <p>{@link io.github.spd4j.layers.runtime.SpdRuntimeLayer} is one runtime layer for all
 * configurations. It runs the {@link io.github.spd4j.layers.runtime.Passes} that a configuration
 * has for a backend: an operator's, or {@link io.github.spd4j.layers.runtime.GraphPasses} by the
 * definition in SameDiff where there is no operator. DL4J's own runtime for SameDiff layers is not
 * used because it doubles gradients (1.0.0-M2.1), ignores {@code setParam}, and builds its graph
 * for one size of image.
 *
 * @serial exclude
 */
package io.github.spd4j.layers.runtime;
