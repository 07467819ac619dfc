/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.dataset.DataSet;

class HeadCostTest {

  private static final HeadSize SIZE = new HeadSize(2, 16, 16, 8, 3);

  @ParameterizedTest
  @EnumSource(CostedHead.class)
  void everyHeadCanBeTrained(CostedHead head) {
    DataSet data = HeadWorkload.data(SIZE);
    ComputationGraph net = head.network(SIZE, data);
    net.fit(data);
    assertThat(net.score()).isFinite();
  }

  @Test
  void aHeadIsMeasuredInAProcessOfItsOwn() {
    HeadCost cost = HeadCost.measure(CostedHead.SPD_ROOT, SIZE, 3);
    assertThat(cost.vector()).isEqualTo(8 * 9 / 2);
    assertThat(cost.parameters()).isEqualTo(16 * 16 + 16 + 16 * 8 + 36 * 3 + 3);
    assertThat(cost.step().values()).hasSize(3);
    assertThat(cost.step().median()).isPositive();
    assertThat(cost.forward().median()).isPositive();
  }

  @Test
  void aProcessThatFailsSaysWhy() {
    HeadSize odd = new HeadSize(1, 1, 1, 2, 2); // no room for a transform to half of one map
    assertThatThrownBy(() -> HeadCost.measure(CostedHead.SPD_ROOT, odd, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(CostedHead.SPD_ROOT.title)
        .hasMessageContaining("expected");
  }
}
