/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.testing.DegenerateImages;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.train.FisherVectors;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.dataset.adapter.SingletonDataSetIterator;
import org.nd4j.linalg.learning.config.Adam;

/** Whole networks of every method, with the settings of the commands, on degenerate images. */
class DegenerateMethodsTest {

  private static final Backbone BACKBONE =
      BackboneChoice.of("random").load(ExperimentKind.TEXTURE, null, null);
  private static final int SIZE = 16;

  /** About that of pixels. */
  private static final double CONTRAST = 64;

  @ParameterizedTest
  @EnumSource(Method.class)
  void nothingBecomesNan(Method method) {
    ComputationGraph net =
        SpdGraft.onto(BACKBONE)
            .head(method.recipe(new HeadSettings(), BACKBONE).head())
            .classes(Networks.CLASSES)
            .seed(1)
            .fineTune(new FineTuneConfiguration.Builder().updater(new Adam(0.003)).build())
            .build();
    if (FisherVectors.areIn(net)) {
      FisherVectors.of(net)
          .fit(
              new SingletonDataSetIterator(
                  DegenerateImages.MIXED.batch(1, CONTRAST, 32, 3, SIZE, SIZE)));
    }
    DegenerateImages.train(net, CONTRAST, 4, 3, SIZE, SIZE);
  }
}
