/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * An image as three planes, blue, green and red, each row by row, with values from 0 to 255.
 *
 * <p>The methods that give another image leave this one as it is.
 *
 * <p>JPEG, PNG and whatever else {@link javax.imageio.ImageIO} knows can be read, in colour, grey
 * or CMYK. Transparency and the orientation that a camera notes down are ignored. A damaged or
 * truncated file is an error.
 */
public final class Pixels {

  private final float[][] planes;
  private final int height;
  private final int width;

  /**
   * An image of given values.
   *
   * @param planes the values of each channel: 0 blue, 1 green, 2 red; not copied
   * @param height the number of rows
   * @param width the number of columns
   */
  public Pixels(float[][] planes, int height, int width) {
    this.planes = planes;
    this.height = height;
    this.width = width;
  }

  /**
   * The values.
   *
   * @return those of each channel: 0 blue, 1 green, 2 red; not a copy
   */
  public float[][] planes() {
    return planes;
  }

  /**
   * The height.
   *
   * @return the number of rows
   */
  public int height() {
    return height;
  }

  /**
   * The width.
   *
   * @return the number of columns
   */
  public int width() {
    return width;
  }

  /**
   * Decodes an image file.
   *
   * @param file the file
   * @return its pixels
   * @throws IOException if the file is missing or no sound image; the message names it
   */
  public static Pixels read(Path file) throws IOException {
    return ImageDecoder.decode(file);
  }

  /**
   * The same image in another size, without regard to its proportions. The pixels that a smaller
   * image merges are averaged, so that fine textures fade instead of turning into other patterns.
   *
   * @param newHeight the new height
   * @param newWidth the new width
   * @return the resized image
   */
  public Pixels resize(int newHeight, int newWidth) {
    Resampling rows = new Resampling(height, newHeight);
    Resampling columns = new Resampling(width, newWidth);
    float[][] resized = new float[planes.length][];
    for (int c = 0; c < planes.length; c++) {
      // Along the rows first, then along the columns of what that gives.
      float[] transposed = columns.alongRowsTransposed(planes[c], height);
      resized[c] = rows.alongRowsTransposed(transposed, newWidth);
    }
    return new Pixels(resized, newHeight, newWidth);
  }

  /**
   * A part of the image.
   *
   * @param top the first row
   * @param left the first column
   * @param newHeight the number of rows
   * @param newWidth the number of columns
   * @return the part
   */
  public Pixels crop(int top, int left, int newHeight, int newWidth) {
    float[][] part = new float[planes.length][newHeight * newWidth];
    for (int c = 0; c < planes.length; c++) {
      for (int row = 0; row < newHeight; row++) {
        int start = (top + row) * width + left;
        System.arraycopy(planes[c], start, part[c], row * newWidth, newWidth);
      }
    }
    return new Pixels(part, newHeight, newWidth);
  }

  /**
   * The image with left and right exchanged.
   *
   * @return the mirrored image
   */
  public Pixels mirrored() {
    float[][] mirrored = new float[planes.length][];
    Arrays.setAll(mirrored, c -> mirrored(planes[c]));
    return new Pixels(mirrored, height, width);
  }

  private float[] mirrored(float[] plane) {
    float[] result = new float[plane.length];
    for (int i = 0; i < plane.length; i++) {
      int column = i % width;
      result[i] = plane[i - column + width - 1 - column];
    }
    return result;
  }
}
