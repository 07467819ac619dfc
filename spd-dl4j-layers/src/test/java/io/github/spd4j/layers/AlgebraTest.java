/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Nd4jAlgebra;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Sample;
import io.github.spd4j.testing.LoopAlgebra;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Passes over an algebra of plain loops against those over ND4J, in DOUBLE. {@link DefinitionTest}
 * compares the latter with the definition in SameDiff.
 */
public class AlgebraTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  private final LoopAlgebra algebra = new LoopAlgebra();

  /** The algebra to be tested. */
  protected Algebra tested() {
    return new Nd4jAlgebra();
  }

  @BeforeEach
  void seed() {
    Nd4j.getRandom().setSeed(1);
  }

  static Stream<Sample> samples() {
    return LayerCases.samples(Check.ALGEBRA);
  }

  @ParameterizedTest
  @MethodSource("io.github.spd4j.layers.AlgebraTest#samples")
  void bothAlgebrasComputeTheSame(Sample sample) {
    new Both(sample).compare(sample);
  }

  static Stream<Sample> firstSamples() {
    return LayerCases.firstSamples(Check.ALGEBRA);
  }

  /** The last batch of an epoch is smaller, and the next one is as large as before. */
  @ParameterizedTest
  @MethodSource("io.github.spd4j.layers.AlgebraTest#firstSamples")
  void batchesOfSeveralSizes(Sample sample) {
    Both both = new Both(sample);
    for (int examples : new int[] {4, 2, 4, 1}) {
      both.compare(sample.batchOf(examples));
    }
  }

  /** A layer over each algebra. */
  private final class Both {
    private final Layer other;
    private final Layer ours;

    Both(Sample sample) {
      other = sample.runtime(DataType.DOUBLE, Backend.of(tested()));
      ours = sample.runtime(DataType.DOUBLE, Backend.of(algebra));
      if (other.numParams() > 0) {
        other.params().assign(ours.params());
      }
    }

    void compare(Sample sample) {
      INDArray input = sample.input();
      int before = algebra.calls;
      INDArray original = input.dup();
      INDArray output = ours.activate(input, true, NO_WORKSPACES);
      assertClose(output, other.activate(input, true, NO_WORKSPACES), ROUNDING);
      INDArray epsilon = Nd4j.randn(DataType.DOUBLE, output.shape());
      output.assign(7); // the next layer may
      Pair<Gradient, INDArray> gradient = ours.backpropGradient(epsilon.dup(), NO_WORKSPACES);
      Pair<Gradient, INDArray> expected = other.backpropGradient(epsilon, NO_WORKSPACES);
      assertClose(gradient.getSecond(), expected.getSecond(), ROUNDING, sample.cancelling());
      for (Map.Entry<String, INDArray> entry :
          expected.getFirst().gradientForVariable().entrySet()) {
        assertClose(gradient.getFirst().getGradientFor(entry.getKey()), entry.getValue(), ROUNDING);
      }
      assertThat(algebra.calls).isGreaterThan(before);
      assertThat(input).isEqualTo(original);
    }
  }
}
