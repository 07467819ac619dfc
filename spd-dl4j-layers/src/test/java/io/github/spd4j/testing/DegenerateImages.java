/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Batches of images that have nothing to tell.
 *
 * <p>{@code -Dspd4j.campaign=200} trains for 1,000 steps.
 */
public enum DegenerateImages {
  /** All images are black. */
  BLACK,
  /** All images have one colour. */
  CONSTANT,
  /** All images are one texture, repeated. */
  TEXTURE,
  /** A black one and one of one colour among noise. */
  MIXED;

  private static final int STEPS = 5 * Generator.times(1);

  private static final double GREY = 0.7;

  /** Trains with these batches in turn; nothing may become NaN. */
  public static void train(ComputationGraph net, double contrast, long... shape) {
    for (int step = 0; step < STEPS; step++) {
      DegenerateImages kind = values()[step % values().length];
      DataSet data = kind.batch(step, contrast, shape);
      net.fit(data);
      assertThat(net.score()).as("loss of step %s, %s", step, kind).isFinite();
      assertFinite(net.params(), "parameters after", step, kind);
      assertFinite(net.outputSingle(data.getFeatures()), "predictions after", step, kind);
    }
  }

  private static void assertFinite(INDArray x, String what, int step, DegenerateImages kind) {
    double norm = x.norm2Number().doubleValue();
    assertThat(norm).as("%s step %s, %s", what, step, kind).isFinite();
  }

  /**
   * A batch in FLOAT.
   *
   * @param contrast the standard deviation of the noise
   * @param shape images, channels, height and width
   */
  public DataSet batch(long seed, double contrast, long... shape) {
    DataSet data = Networks.images(DataType.FLOAT, seed, shape);
    INDArray images = data.getFeatures();
    switch (this) {
      case BLACK:
        images.assign(0);
        break;
      case CONSTANT:
        images.assign(GREY);
        break;
      case TEXTURE:
        INDArray tile = Nd4j.randn(DataType.FLOAT, 1, shape[1], 2, 2);
        images.assign(Nd4j.tile(tile, (int) shape[0], 1, (int) shape[2] / 2, (int) shape[3] / 2));
        break;
      default:
        images.slice(0).assign(0);
        images.slice(1).assign(GREY);
        break;
    }
    images.muli(contrast);
    return data;
  }
}
