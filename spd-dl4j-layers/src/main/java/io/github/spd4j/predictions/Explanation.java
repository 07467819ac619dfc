/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import org.nd4j.linalg.api.ndarray.INDArray;

/** An image beside itself with its attribution on top: red spoke for the answer, blue against. */
public final class Explanation {

  private static final int SHOWN = 336;
  private static final int OPAQUE = 200;
  private static final int RED = 0xD00000;
  private static final int BLUE = 0x0040D0;

  private Explanation() {}

  /**
   * Draws an explanation.
   *
   * @param photograph the image
   * @param attribution what each place had to do with the answer, [rows, columns]
   * @return a picture, twice as wide as high
   */
  public static BufferedImage picture(BufferedImage photograph, INDArray attribution) {
    BufferedImage both = new BufferedImage(2 * SHOWN, SHOWN, BufferedImage.TYPE_INT_RGB);
    Graphics2D canvas = both.createGraphics();
    canvas.setRenderingHint(
        RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
    canvas.drawImage(photograph, 0, 0, SHOWN, SHOWN, null);
    canvas.drawImage(photograph, SHOWN, 0, SHOWN, SHOWN, null);
    canvas.drawImage(heat(attribution), SHOWN, 0, SHOWN, SHOWN, null);
    canvas.dispose();
    return both;
  }

  /** A pixel for each place, the more opaque the more it counts. */
  private static BufferedImage heat(INDArray attribution) {
    int rows = (int) attribution.size(0);
    int columns = (int) attribution.size(1);
    double largest = Math.max(attribution.amaxNumber().doubleValue(), Double.MIN_NORMAL);
    BufferedImage heat = new BufferedImage(columns, rows, BufferedImage.TYPE_INT_ARGB);
    for (int y = 0; y < rows; y++) {
      for (int x = 0; x < columns; x++) {
        double share = attribution.getDouble(y, x) / largest;
        int alpha = (int) Math.round(OPAQUE * Math.abs(share));
        heat.setRGB(x, y, alpha << 24 | (share >= 0 ? RED : BLUE));
      }
    }
    return heat;
  }
}
