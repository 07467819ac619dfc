/**
 * From image files to the arrays that a network takes, and from arrays to pictures: decoding,
 * resizing, views, colours as numbers.
 *
 * <p>No networks here, and no labels; images with labels are in {@code train.images}.
 *
 * @serial exclude
 */
package io.github.spd4j.images;
