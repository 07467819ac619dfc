/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.testing.Networks;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;

/**
 * Whole networks with every head, in FLOAT, on images that have nothing to tell: black ones,
 * constant ones, and one texture repeated.
 *
 * <p>{@code -Dspd4j.campaign=200} trains for 1,000 steps.
 */
class DegenerateHeadsTest {

  private static final int STEPS = 5 * Integer.getInteger("spd4j.campaign", 2);

  @ParameterizedTest
  @MethodSource("io.github.spd4j.graft.HeadTest#heads")
  void nothingBecomesNan(Head head) {
    Nd4j.getRandom().setSeed(1);
    ComputationGraph net =
        SpdGraft.onto(SmallBackbone.create())
            .after("last")
            .head(head)
            .classes(Networks.CLASSES)
            .seed(1)
            .fineTune(new FineTuneConfiguration.Builder().updater(new Adam(0.003)).build())
            .build();
    INDArray texture = Nd4j.rand(DataType.FLOAT, 1, 1, 2, 2);
    for (int step = 0; step < STEPS; step++) {
      DataSet data = Networks.images(DataType.FLOAT, step, SmallBackbone.IMAGES);
      INDArray images = data.getFeatures();
      if (step % 3 == 0) {
        images.assign(0);
      } else if (step % 3 == 1) {
        images.assign(0.7);
      } else {
        images.assign(Nd4j.tile(texture, 4, 2, 4, 4));
      }
      net.fit(data);
      assertThat(net.params().norm2Number().doubleValue()).as("step %s", step).isFinite();
      INDArray output = net.outputSingle(images);
      assertThat(output.sumNumber().doubleValue()).as("step %s", step).isFinite();
    }
  }
}
