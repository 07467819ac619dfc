/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.testing.DegenerateImages;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.SmallBackbone;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.learning.config.Adam;

/** Whole networks with every head, in FLOAT, on {@link DegenerateImages}. */
@Tag("once")
class DegenerateHeadsTest {

  @ParameterizedTest
  @MethodSource("io.github.spd4j.graft.HeadTest#heads")
  void nothingBecomesNan(Head head) {
    DegenerateImages.train(
        SpdGraft.onto(Backbone.of(SmallBackbone.create(), "last"))
            .head(head)
            .classes(Networks.CLASSES)
            .seed(1)
            .fineTune(new FineTuneConfiguration.Builder().updater(new Adam(0.003)).build())
            .build(),
        1,
        SmallBackbone.IMAGES);
  }
}
