/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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

  /** Four candidates on two thirds of the images, three times, are eight trainings. */
  @Test
  void whatIsTriedTakesTimeToo() {
    assertThat(TimeEstimate.trainings(4, 3)).isEqualTo(1 + 8);
    assertThat(TimeEstimate.trainings(1, 3)).isEqualTo(1);
  }
}
