/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.util.Objects;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * An image beside itself with its attribution on top: red spoke for the answer, blue against. A bar
 * below has the colours of all shares, from − the most that any place of this image counted, to +
 * the most.
 */
public final class Explanation {

  private static final int SHOWN = 336;
  private static final int OPAQUE = 200;
  private static final int RED = 0xD00000;
  private static final int BLUE = 0x0040D0;

  /** The scale: its left end, its height, and the room for a sign at either end. */
  private static final int BAR = SHOWN / 4;

  private static final int BAR_HEIGHT = 10;
  private static final int SIGN = 16;

  private Explanation() {}

  /**
   * Draws an explanation.
   *
   * @param photograph the image
   * @param attribution what each place had to do with the answer, [rows, columns]
   * @return a picture, twice as wide as high
   */
  public static BufferedImage picture(BufferedImage photograph, INDArray attribution) {
    Objects.requireNonNull(photograph, "photograph");
    Objects.requireNonNull(attribution, "attribution");
    BufferedImage both = new BufferedImage(2 * SHOWN, SHOWN, BufferedImage.TYPE_INT_RGB);
    Graphics2D canvas = both.createGraphics();
    canvas.setRenderingHint(
        RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
    canvas.drawImage(photograph, 0, 0, SHOWN, SHOWN, null);
    canvas.drawImage(photograph, SHOWN, 0, SHOWN, SHOWN, null);
    canvas.drawImage(heat(attribution), SHOWN, 0, SHOWN, SHOWN, null);
    drawScale(canvas);
    canvas.dispose();
    return both;
  }

  /** On white, in the middle of the lower edge; its signs are lines, since text needs fonts. */
  private static void drawScale(Graphics2D canvas) {
    int left = SHOWN + BAR;
    int width = SHOWN - 2 * BAR;
    int top = SHOWN - 2 * BAR_HEIGHT;
    int middle = top + BAR_HEIGHT / 2;
    canvas.setColor(Color.WHITE);
    canvas.fillRect(left - SIGN, top - 4, width + 2 * SIGN, BAR_HEIGHT + 8);
    for (int x = 0; x < width; x++) {
      canvas.setColor(new Color(colour(2.0 * x / (width - 1) - 1), true));
      canvas.fillRect(left + x, top, 1, BAR_HEIGHT);
    }
    canvas.setColor(Color.BLACK);
    canvas.fillRect(left - SIGN + 4, middle - 1, 8, 2);
    canvas.fillRect(left + width + 4, middle - 1, 8, 2);
    canvas.fillRect(left + width + 7, middle - 4, 2, 8);
  }

  /** The colour of a share of the largest absolute value, the more opaque the more it is. */
  private static int colour(double share) {
    int alpha = (int) Math.round(OPAQUE * Math.abs(share));
    return alpha << 24 | (share >= 0 ? RED : BLUE);
  }

  /** A pixel for each place, the more opaque the more it counts. */
  private static BufferedImage heat(INDArray attribution) {
    int rows = (int) attribution.size(0);
    int columns = (int) attribution.size(1);
    double largest = Math.max(attribution.amaxNumber().doubleValue(), Double.MIN_NORMAL);
    BufferedImage heat = new BufferedImage(columns, rows, BufferedImage.TYPE_INT_ARGB);
    for (int y = 0; y < rows; y++) {
      for (int x = 0; x < columns; x++) {
        heat.setRGB(x, y, colour(attribution.getDouble(y, x) / largest));
      }
    }
    return heat;
  }
}
