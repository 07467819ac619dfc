/**
 * From image files to the arrays that a backbone takes, and from arrays to pictures: decoding,
 * resizing, the order of channels, PNG.
 *
 * <p>No networks here; those that the images are for are in {@code backbones}.
 */
package io.github.spd4j.images;
