/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import java.awt.image.BufferedImage;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Images as a backbone takes them, turned back into pictures. */
public final class Photographs {

  /** What {@link io.github.spd4j.images.BgrImageReader} subtracts. */
  private static final float[] MEAN_BGR = {104, 117, 123};

  private static final int WHITE = 255;

  private Photographs() {}

  /**
   * An image as a picture.
   *
   * @param image [1, 3, height, width], blue, green, red, minus the mean colour
   * @return the picture, of the same size
   */
  public static BufferedImage picture(INDArray image) {
    int height = (int) image.size(2);
    int width = (int) image.size(3);
    float[] values = image.castTo(DataType.FLOAT).dup('c').data().asFloat();
    BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < height * width; i++) {
      int rgb = 0;
      for (int c = 0; c < MEAN_BGR.length; c++) {
        float value = values[c * height * width + i] + MEAN_BGR[c];
        rgb |= Math.round(Math.max(0, Math.min(WHITE, value))) << (8 * c); // blue is lowest
      }
      picture.setRGB(i % width, i / width, rgb);
    }
    return picture;
  }
}
