/**
 * From image files to the arrays that a backbone takes: decoding, resizing, the order of channels.
 *
 * <p>No networks here; those that the images are for are in {@link io.github.spd4j.backbones}.
 */
package io.github.spd4j.images;
