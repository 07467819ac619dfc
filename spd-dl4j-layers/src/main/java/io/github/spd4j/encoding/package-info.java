/**
 * What Fisher vectors are made of: a Gaussian mixture, fitted by {@link
 * io.github.spd4j.encoding.ExpectationMaximization} in the coordinates of {@link
 * io.github.spd4j.encoding.PrincipalComponents}.
 *
 * <p>A descriptor is what all feature maps show at one position. What belongs here works on arrays
 * of descriptors, and knows nothing of image shapes, networks or layers. Unless a method says
 * otherwise, it leaves its arguments unchanged.
 */
package io.github.spd4j.encoding;
