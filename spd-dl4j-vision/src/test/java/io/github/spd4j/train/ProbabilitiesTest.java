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
    assertThat(Probabilities.ofImages(net, images, 3)).isEqualTo(fromImages);
    try (Features features = FeatureCache.inMemory().features(net, images, 3, progress)) {
      INDArray fromFeatures = Probabilities.ofFeatures(net, features, images, 4);
      assertThat(fromFeatures.equalsWithEps(fromImages, 1e-5)).isTrue();
    }
  }

  /** Two views of a picture are one answer, that of their mean. */
  @Test
  void accuracyCountsPictures() {
    ComputationGraph net = TinyTask.net();
    LabelledImages images = TinyTask.images(1, 6);
    INDArray each = Probabilities.ofImages(net, images, 3, new TrainingProgress() {});
    int[] answers = new int[3];
    for (int picture = 0; picture < 3; picture++) {
      INDArray views = each.getRows(picture, picture + 3);
      answers[picture] = views.mean(0).argMax(0).getInt(0);
    }
    // The first two are theirs, the third is of another class.
    int[] labels = {answers[0], answers[1], (answers[2] + 1) % Networks.CLASSES};
    LabelledImages views =
        new LabelledImages() {
          @Override
          public int size() {
            return 6;
          }

          @Override
          public int classes() {
            return Networks.CLASSES;
          }

          @Override
          public String name(int index) {
            return images.name(index);
          }

          @Override
          public int label(int index) {
            return labels[picture(index)];
          }

          @Override
          public int picture(int index) {
            return index % 3;
          }

          @Override
          public INDArray image(int index) {
            return images.image(index);
          }
        };
    assertThat(Probabilities.accuracy(net, views, 4, new TrainingProgress() {}))
        .isCloseTo(2 / 3.0, offset(1e-12));
    assertThat(Probabilities.accuracy(net, views, 4)).isCloseTo(2 / 3.0, offset(1e-12));
  }
}
