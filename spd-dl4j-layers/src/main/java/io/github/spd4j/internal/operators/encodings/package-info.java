/**
 * Encodings of an image's local descriptors by a dictionary: residuals from codewords that are
 * learnt ({@link io.github.spd4j.internal.operators.encodings.ResidualEncoding}), and Fisher
 * vectors of a Gaussian mixture that is fitted beforehand ({@link
 * io.github.spd4j.internal.operators.encodings.FisherEncoding}).
 *
 * <p>A descriptor is what all feature maps show at one position. What belongs here works on arrays
 * of descriptors, with forward and backward pass. In the backward passes, {@code byX} stands for
 * ∂L/∂X, the gradient of the loss with respect to X.
 */
package io.github.spd4j.internal.operators.encodings;
