/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import io.github.spd4j.images.Views;
import java.awt.image.BufferedImage;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** What docs/serving.md says in words, for RGB from 0 to 1, in plain loops of double precision. */
final class PlainRecipe {

  private final double[] mean;
  private final double[] deviation;
  private final int size;

  PlainRecipe(double[] mean, double[] deviation, int size) {
    this.mean = mean;
    this.deviation = deviation;
    this.size = size;
  }

  double[] probabilities(ComputationGraph net, BufferedImage image, Views kind) {
    boolean crops = kind == Views.FIVE_CROPS;
    int height = size;
    int width = size;
    if (crops) {
      double scale =
          Math.round(size * 8 / 7f) / (double) Math.min(image.getHeight(), image.getWidth());
      height = (int) Math.round(scale * image.getHeight());
      width = (int) Math.round(scale * image.getWidth());
    }
    int bottom = height - size;
    int right = width - size;
    int[][] places = {
      {(int) Math.round(0.5 * bottom), (int) Math.round(0.5 * right)},
      {0, 0}, // the mirror image, too
      {0, right},
      {bottom, 0},
      {bottom, right}
    };
    int views = crops ? 5 : kind == Views.MIRRORED ? 2 : 1;
    INDArray input = Nd4j.create(DataType.FLOAT, views, 3, size, size);
    for (int c = 0; c < 3; c++) {
      double[][] plane = resized(transposed(resized(plane(image, c), width)), height);
      for (int view = 0; view < views; view++) {
        for (int y = 0; y < size; y++) {
          for (int x = 0; x < size; x++) {
            int column = kind == Views.MIRRORED && view == 1 ? size - 1 - x : x;
            double value = plane[column + places[view][1]][y + places[view][0]];
            input.putScalar(new int[] {view, c, y, x}, (value / 255 - mean[c]) / deviation[c]);
          }
        }
      }
    }
    return net.outputSingle(input).mean(0).toDoubleVector();
  }

  /** Red, green or blue, row by row. */
  private static double[][] plane(BufferedImage image, int channel) {
    double[][] plane = new double[image.getHeight()][image.getWidth()];
    for (int y = 0; y < plane.length; y++) {
      for (int x = 0; x < plane[y].length; x++) {
        plane[y][x] = image.getRGB(x, y) >> (16 - 8 * channel) & 0xFF;
      }
    }
    return plane;
  }

  private static double[][] transposed(double[][] rows) {
    double[][] columns = new double[rows[0].length][rows.length];
    for (int y = 0; y < rows.length; y++) {
      for (int x = 0; x < columns.length; x++) {
        columns[x][y] = rows[y][x];
      }
    }
    return columns;
  }

  /** Each row in another length, by a triangle as wide as two of the larger pixels. */
  private static double[][] resized(double[][] rows, int length) {
    double[][] resized = new double[rows.length][length];
    double spacing = (double) rows[0].length / length;
    double reach = Math.max(spacing, 1);
    for (int y = 0; y < rows.length; y++) {
      for (int i = 0; i < length; i++) {
        double sum = 0;
        double weights = 0;
        for (int j = 0; j < rows[y].length; j++) {
          double distance = Math.abs(j + 0.5 - (i + 0.5) * spacing);
          double weight = Math.max(0, 1 - distance / reach);
          sum += weight * rows[y][j];
          weights += weight;
        }
        resized[y][i] = sum / weights;
      }
    }
    return resized;
  }
}
