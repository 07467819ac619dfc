/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EpochRecordTest {

  private static EpochRecord record(String rollback) {
    LossAndAccuracy none = new LossAndAccuracy();
    return new EpochRecord(
        Stage.HEAD, 3, none, none, Map.of(LayerGroup.CLASSIFIER, 0.1), 12.34, rollback);
  }

  @Test
  void isALineForPeople() {
    assertThat(record(null))
        .hasToString(
            "EpochRecord[stage=HEAD, epoch=3, training: loss=NaN accuracy=NaN, validation: loss=NaN"
                + " accuracy=NaN, rates={CLASSIFIER=0.1}, seconds=12.3]");
    assertThat(record("the loss grew").toString()).endsWith(", undone: the loss grew]");
  }
}
