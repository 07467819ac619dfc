/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.experiments.Method;
import java.util.List;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.dataset.DataSet;

class HeadCostTest {

  private static final HeadSize SIZE = new HeadSize(2, 16, 16, 8, 3);
  private static final CostedHead ROOT = CostedHead.of("spd-root");

  static List<CostedHead> heads() {
    return CostedHead.all();
  }

  @ParameterizedTest
  @MethodSource("heads")
  void everyHeadCanBeTrained(CostedHead head) {
    DataSet data = HeadWorkload.data(SIZE);
    ComputationGraph net = head.network(SIZE, data);
    net.fit(data);
    assertThat(net.score()).isFinite();
  }

  @Test
  void aHeadIsMeasuredInAProcessOfItsOwn() {
    HeadCost cost = HeadCost.measure(ROOT, SIZE, 3);
    assertThat(cost.method()).isEqualTo("spd-root");
    assertThat(cost.head()).isEqualTo("SPD head, matrix square root");
    assertThat(cost.isMatrix()).isTrue();
    assertThat(cost.vector()).isEqualTo(8 * 9 / 2);
    assertThat(cost.parameters()).isEqualTo(16 * 16 + 16 + 16 * 8 + 36 * 3 + 3);
    assertThat(cost.step().values()).hasSize(3);
    assertThat(cost.step().median()).isPositive();
    assertThat(cost.forward().median()).isPositive();
  }

  @Test
  void everyMethodIsMeasuredAndTwoOfThemInAnotherSize() {
    assertThat(CostedHead.all()).hasSize(Method.values().length + 2);
    assertThat(CostedHead.all().stream().map(CostedHead::title))
        .doesNotHaveDuplicates()
        .contains("Average pooling", "SPD head (transform = 128)");
    CostedHead small = CostedHead.of("spd, transform = 128");
    HeadSize size = new HeadSize(1, 256, 256, 2, 2);
    assertThat(small.network(size, HeadWorkload.data(size)).getParam("spd-transform-0_W").shape())
        .containsExactly(256, 128);
  }

  @Test
  void aProcessThatFailsSaysWhy() {
    HeadSize odd = new HeadSize(1, 1, 1, 2, 2); // no room for a transform to half of one map
    assertThatThrownBy(() -> HeadCost.measure(ROOT, odd, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(ROOT.title())
        .hasMessageContaining("expected");
  }
}
