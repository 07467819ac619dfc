/**
 * A wavelet scattering network on arrays: its {@linkplain
 * io.github.spd4j.internal.operators.scattering.Filters filters}, its definition in SameDiff, and
 * loops for the host.
 *
 * <p>Internal: users of {@link io.github.spd4j.layers.ScatteringLayer} need nothing of it, and it
 * may change with any release.
 */
package io.github.spd4j.internal.operators.scattering;
