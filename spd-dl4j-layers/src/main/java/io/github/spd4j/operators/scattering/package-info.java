/**
 * The filters of a wavelet scattering network: plain numbers, without layers.
 *
 * <p>The network itself is {@link io.github.spd4j.layers.ScatteringLayer}.
 */
package io.github.spd4j.operators.scattering;
