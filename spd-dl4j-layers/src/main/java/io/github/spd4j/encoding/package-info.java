/**
 * Encodings of an image's local descriptors by a dictionary: residuals from codewords that are
 * learnt ({@link io.github.spd4j.encoding.ResidualEncoding}), and Fisher vectors of a Gaussian
 * mixture that is fitted beforehand ({@link io.github.spd4j.encoding.FisherEncoding}).
 *
 * <p>In the backward passes, {@code byX} stands for ∂L/∂X, the gradient of the loss with respect to
 * X.
 *
 * <p>A descriptor is what all feature maps show at one position. What belongs here works on arrays
 * of descriptors, with forward and backward pass, and knows nothing of image shapes, networks or
 * layers. {@link io.github.spd4j.encoding.ExpectationMaximization} fits the mixture, in the
 * coordinates of {@link io.github.spd4j.encoding.PrincipalComponents}. Unless a method says
 * otherwise, it leaves its arguments unchanged.
 */
package io.github.spd4j.encoding;
