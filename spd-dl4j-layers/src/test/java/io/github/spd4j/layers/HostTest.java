/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Nd4jAlgebra;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Sample;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The fused passes in FLOAT on the host against those over an algebra in DOUBLE, which are never
 * fused.
 */
@Tag("once")
class HostTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  @BeforeEach
  void onlyOnTheCpu() {
    assumeTrue(HostFloats.isPossible(Nd4j.create(DataType.FLOAT, 1)));
    Nd4j.getRandom().setSeed(1);
  }

  static Stream<Sample> samples() {
    return LayerCases.samples(Check.HOST);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void theFusedPassesAreThoseOverAnAlgebra(Sample sample) {
    Pair<Layer, Layer> both = both(sample);
    Layer fused = both.getFirst();
    // What is common to both is a number in FLOAT.
    INDArray common = sample.input().castTo(DataType.FLOAT);
    INDArray before = common.dup();
    INDArray output = fused.activate(common, true, NO_WORKSPACES);
    INDArray expected =
        both.getSecond().activate(common.castTo(DataType.DOUBLE), true, NO_WORKSPACES);
    assertClose(output, expected, FLOAT_ROUNDING);
    assertThat(fused.activate(common, false, NO_WORKSPACES)).isEqualTo(output);
    output.assign(7); // the next layer may

    INDArray epsilon = Nd4j.randn(DataType.FLOAT, expected.shape());
    INDArray epsilonBefore = epsilon.dup();
    fused.activate(common, true, NO_WORKSPACES).assign(7);
    compareGradients(both, epsilon, sample.cancelling());
    assertThat(common).isEqualTo(before);
    assertThat(epsilon).isEqualTo(epsilonBefore);
  }

  static Stream<Sample> firstSamples() {
    return LayerCases.firstSamples(Check.HOST);
  }

  @ParameterizedTest
  @MethodSource("firstSamples")
  void buffersFollowTheBatchSize(Sample sample) {
    Pair<Layer, Layer> both = both(sample);
    for (int examples : new int[] {2, 5, 3, 5}) {
      INDArray common = sample.batchOf(examples).input().castTo(DataType.FLOAT);
      INDArray output = both.getFirst().activate(common, true, NO_WORKSPACES).dup();
      INDArray expected =
          both.getSecond().activate(common.castTo(DataType.DOUBLE), true, NO_WORKSPACES);
      assertClose(output, expected, FLOAT_ROUNDING);
      INDArray epsilon = Nd4j.randn(DataType.FLOAT, expected.shape());
      compareGradients(both, epsilon, sample.cancelling());
    }
  }

  @Test
  void onlyFloatOnTheHostIsFused() {
    assertThat(Backend.current().isFused(DataType.FLOAT)).isTrue();
    assertThat(Backend.current().isFused(DataType.DOUBLE)).isFalse();
    assertThat(Backend.of(new Nd4jAlgebra()).isFused(DataType.FLOAT)).isFalse();
  }

  /** The layer in FLOAT and in DOUBLE, with the same parameters. */
  private static Pair<Layer, Layer> both(Sample sample) {
    Layer fused = sample.runtime(DataType.FLOAT, Backend.current());
    Layer exact = sample.runtime(DataType.DOUBLE, Backend.current());
    if (exact.numParams() > 0) {
      exact.params().assign(fused.params());
    }
    return new Pair<>(fused, exact);
  }

  private static void compareGradients(
      Pair<Layer, Layer> both, INDArray epsilon, double cancelling) {
    Pair<Gradient, INDArray> ours = both.getFirst().backpropGradient(epsilon, NO_WORKSPACES);
    Pair<Gradient, INDArray> theirs =
        both.getSecond().backpropGradient(epsilon.castTo(DataType.DOUBLE), NO_WORKSPACES);
    assertClose(ours.getSecond(), theirs.getSecond(), FLOAT_ROUNDING, cancelling);
    for (Map.Entry<String, INDArray> entry : theirs.getFirst().gradientForVariable().entrySet()) {
      INDArray ourGradient = ours.getFirst().getGradientFor(entry.getKey());
      assertClose(ourGradient, entry.getValue(), FLOAT_ROUNDING);
    }
  }
}
