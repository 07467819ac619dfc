/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import javax.imageio.ImageIO;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Matrices as pictures, and photographs small enough for a page of many. */
public final class PagePictures {

  private static final int HEAT_MAP_SIZE = 280;

  private PagePictures() {}

  /**
   * The matrix of the first example of a batch as a picture.
   *
   * @param batch [examples, 1, rows, columns]
   * @return the picture
   */
  public static BufferedImage ofMatrix(INDArray batch) {
    return heatMap(batch.slice(0).slice(0));
  }

  /**
   * A matrix as a picture: white is zero, red positive, blue negative, the strongest colour the
   * largest absolute value.
   *
   * @param matrix [rows, columns]
   * @return the picture
   */
  public static BufferedImage heatMap(INDArray matrix) {
    double[][] values = matrix.castTo(DataType.DOUBLE).toDoubleMatrix();
    double largest = Math.max(1e-300, matrix.amaxNumber().doubleValue());
    int cell = Math.max(1, HEAT_MAP_SIZE / values.length);
    int size = cell * values.length;
    BufferedImage picture = new BufferedImage(size, size, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < size; y++) {
      for (int x = 0; x < size; x++) {
        picture.setRGB(x, y, colour(values[y / cell][x / cell] / largest));
      }
    }
    return picture;
  }

  private static int colour(double share) {
    int faded = (int) Math.round(255 * (1 - Math.min(1, Math.abs(share))));
    return share >= 0 ? 0xFF0000 | faded << 8 | faded : faded << 16 | faded << 8 | 0xFF;
  }

  /**
   * A photograph in few bytes, for the {@code src} of an HTML {@code img}.
   *
   * @param photograph a picture without transparency
   * @return a data URI that holds a JPEG file
   */
  public static String jpeg(BufferedImage photograph) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(bytes)) {
      ImageIO.write(photograph, "jpg", out);
    } catch (IOException e) {
      throw new UncheckedIOException("a picture in memory can be written", e);
    }
    return "data:image/jpeg;base64," + Base64.getEncoder().encodeToString(bytes.toByteArray());
  }
}
