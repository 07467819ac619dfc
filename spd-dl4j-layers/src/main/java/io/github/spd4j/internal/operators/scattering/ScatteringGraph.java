/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.scattering;

import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ops.impl.layers.convolution.config.Conv2DConfig;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A scattering network of two orders in SameDiff, for images of one size.
 *
 * <p>From scale to scale the maps of all orders are halved; at each scale those of the orders 0 and
 * 1 are met by the wavelets, which gives new maps of the orders 1 and 2.
 */
public final class ScatteringGraph {

  private static final int KERNEL = 2 * Filters.WAVELET_RADIUS + 1;

  private final SameDiff sd;
  private final DataType type;
  private final int directions;
  private final SDVariable wavelets;
  private int height;
  private int width;

  // [N, maps, height, width] each; null where there are none yet
  private SDVariable order0;
  private SDVariable order1;
  private SDVariable order2;
  private int maps1;
  private int maps2;

  private ScatteringGraph(SameDiff sd, SDVariable images, int height, int width, int directions) {
    this.sd = sd;
    this.type = images.dataType();
    this.directions = directions;
    this.height = height;
    this.width = width;
    this.order0 = images;
    this.wavelets =
        sd.constant(
            Nd4j.create(Filters.wavelets(directions))
                .reshape(2L * directions, 1, KERNEL, KERNEL)
                .permute(2, 3, 1, 0) // as the operation wants it
                .dup('c')
                .castTo(type));
  }

  /**
   * Defines the network.
   *
   * @param sd the graph
   * @param images [N, 1, height, width]
   * @param height the height of the images, at least {@link Filters#WAVELET_RADIUS} at all scales
   * @param width their width
   * @param scales the number of scales
   * @param directions the number of directions of the wavelets
   * @param contrast what the maps of the orders 1 and 2 are divided by before 1 is added and the
   *     logarithm is taken
   * @return [N, maps, h, w]: order 0, order 1 by scale and direction, order 2 by its last scale,
   *     then by its map of order 1, then by its last direction
   */
  public static SDVariable define(
      SameDiff sd,
      SDVariable images,
      int height,
      int width,
      int scales,
      int directions,
      double contrast) {
    ScatteringGraph graph = new ScatteringGraph(sd, images, height, width, directions);
    for (int scale = 0; scale < scales; scale++) {
      graph.scatter();
      graph.halve();
    }
    SDVariable moduli = joined(sd, graph.order1, graph.order2);
    return sd.concat(1, graph.order0, sd.math().log(moduli.mul(1 / contrast).add(1)));
  }

  /** Adds what the wavelets make of the maps at this scale. */
  private void scatter() {
    SDVariable second = order1 == null ? null : modulus(order1, maps1);
    SDVariable first = modulus(order0, 1);
    order2 = joined(sd, order2, second);
    maps2 += maps1 * directions;
    order1 = joined(sd, order1, first);
    maps1 += directions;
  }

  private static SDVariable joined(SameDiff sd, SDVariable maps, SDVariable more) {
    if (maps == null || more == null) {
      return maps == null ? more : maps;
    }
    return sd.concat(1, maps, more);
  }

  /** The absolute values of each map's convolutions with the wavelets. */
  private SDVariable modulus(SDVariable maps, int count) {
    SDVariable mirrored = mapped(maps, Filters.mirroring(height), Filters.mirroring(width));
    SDVariable filtered =
        sd.cnn().conv2d(mirrored, wavelets, Conv2DConfig.builder().kH(KERNEL).kW(KERNEL).build());
    SDVariable parts = sd.reshape(filtered, -1, 2, (long) directions * height * width);
    SDVariable moduli = sd.math().sqrt(sd.sum(sd.math().square(parts), 1));
    return sd.reshape(moduli, -1, (long) count * directions, height, width);
  }

  /** Blurs all maps and makes them half as high and wide. */
  private void halve() {
    double[][] rows = Filters.halving(height);
    double[][] columns = Filters.halving(width);
    height = rows[0].length;
    width = columns[0].length;
    order0 = sd.reshape(mapped(order0, rows, columns), -1, 1, height, width);
    order1 = sd.reshape(mapped(order1, rows, columns), -1, maps1, height, width);
    if (order2 != null) {
      order2 = sd.reshape(mapped(order2, rows, columns), -1, maps2, height, width);
    }
  }

  /** Multiplies the lines of each map by a matrix, and its columns by another: [N·maps, 1, …]. */
  private SDVariable mapped(SDVariable maps, double[][] ofHeight, double[][] ofWidth) {
    SDVariable wide = lines(maps, ofWidth);
    SDVariable turned = sd.reshape(wide, -1, ofHeight.length, ofWidth[0].length);
    SDVariable high = lines(sd.permute(turned, 0, 2, 1), ofHeight);
    SDVariable result = sd.reshape(high, -1, ofWidth[0].length, ofHeight[0].length);
    return sd.reshape(sd.permute(result, 0, 2, 1), -1, 1, ofHeight[0].length, ofWidth[0].length);
  }

  private SDVariable lines(SDVariable maps, double[][] matrix) {
    return sd.mmul(
        sd.reshape(maps, -1, matrix.length), sd.constant(Nd4j.create(matrix).castTo(type)));
  }
}
