/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.data;

/** An image as three planes, blue, green and red, each row by row, with values from 0 to 255. */
final class Pixels {

  private final float[][] planes;
  private final int height;
  private final int width;

  Pixels(float[][] planes, int height, int width) {
    this.planes = planes;
    this.height = height;
    this.width = width;
  }

  /** The plane of a channel (0 blue, 1 green, 2 red), not a copy. */
  float[] plane(int channel) {
    return planes[channel];
  }

  /** The same image in another size. Neither image changes with the other. */
  Pixels resize(int newHeight, int newWidth) {
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
}
