/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.train.images.InMemoryImages;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

class TimeEstimateTest {

  /** Features of an image take 2 seconds, a step of the head 1, one of the backbone 3 times 2. */
  @Test
  void learningTakesLongerThanAsking() {
    TrainingSettings settings = new TrainingSettings();
    settings.headEpochs = 10;
    settings.wholeEpochs = 4;
    assertThat(TimeEstimate.of(settings, 2, 1, 30, 6, 10))
        .isEqualTo(new TimeEstimate(2 * (30 + 10), 10 * (30 + 2), 4 * (3 * 2 + 1) * (30 + 2)));
    assertThat(TimeEstimate.of(settings, 2, 1, 30, 6, 10).total()).isEqualTo("about 22 minutes");
  }

  /** Two of three images are of one class: each class has two of an epoch. */
  @Test
  void balancedClassesHaveMoreImages() {
    InMemoryImages images =
        new InMemoryImages(Nd4j.zeros(DataType.FLOAT, 3, 1, 2, 2), new int[] {0, 0, 1}, 2);
    assertThat(TimeEstimate.learnt(images, false)).isEqualTo(3);
    assertThat(TimeEstimate.learnt(images, true)).isEqualTo(4);
  }

  /** Four candidates on two thirds of the images, three times, are eight trainings. */
  @Test
  void whatIsTriedTakesTimeToo() {
    assertThat(TimeEstimate.trainings(4, 3)).isEqualTo(1 + 8);
    assertThat(TimeEstimate.trainings(1, 3)).isEqualTo(1);
  }
}
