/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.github.spd4j.testing.Networks;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.features.Features;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.progress.TrainingProgress;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.ndarray.INDArray;

class ProbabilitiesTest {

  @Test
  void imagesAndTheirFeaturesGiveTheSame() {
    ComputationGraph net = TinyTask.net();
    LabelledImages images = TinyTask.images(1, 7);
    int[] done = {0};
    TrainingProgress progress =
        new TrainingProgress() {
          @Override
          public void featuresDone(int images, int total) {
            done[0] = images;
          }
        };
    INDArray fromImages = Probabilities.ofImages(net, images, 3, progress);
    assertThat(fromImages.shape()).containsExactly(7, Networks.CLASSES);
    assertThat(fromImages.sumNumber().doubleValue()).isCloseTo(7, offset(1e-5));
    assertThat(done[0]).isEqualTo(7);
    try (Features features =
        FeatureCache.inMemory().features(net, TinyTask.CUT, images, 3, progress)) {
      INDArray fromFeatures = Probabilities.ofFeatures(net, TinyTask.CUT, features, images, 4);
      assertThat(fromFeatures.equalsWithEps(fromImages, 1e-5)).isTrue();
    }
  }
}
