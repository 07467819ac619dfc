/**
 * Mercer kernels between the feature maps of one image, and the bandwidths that radial kernels
 * need.
 *
 * <p>A {@link io.github.spd4j.kernel.Kernel} defines its forward pass in SameDiff and gives its
 * backward pass in closed form. A new kernel belongs here; layers and shapes of images do not. The
 * class names are part of the format of saved networks.
 *
 * @serial exclude
 */
package io.github.spd4j.kernel;
