/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Nd4jAlgebra;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.testing.LoopAlgebra;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Passes over an algebra of plain loops against those over ND4J, in DOUBLE. {@link DefinitionTest}
 * compares the latter with the definition in SameDiff.
 */
public class BatchTest {

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

  @ParameterizedTest
  @CsvSource({"3, 9, 3", "1, 2, 2", "2, 1, 3", "4, 7, 1"})
  void aggregation(int images, int channels, int side) {
    INDArray maps = Nd4j.randn(DataType.DOUBLE, images, channels, side, side);
    for (Bandwidth bandwidth :
        new Bandwidth[] {
          Bandwidth.meanDistance(),
          Bandwidth.meanDistance().times(0.5),
          Bandwidth.meanDistance().times(0.5).learnt(),
          Bandwidth.meanDistance().differentiated(),
          Bandwidth.meanDistance().times(0.5).differentiated().learnt(),
          Bandwidth.fixed(2),
          Bandwidth.fixed(2).learnt()
        }) {
      for (Kernel kernel : List.of(new RbfKernel(bandwidth), new LaplacianKernel(bandwidth))) {
        SpdLayer layer = HostTest.aggregation().kernel(kernel).ridge(0.1).build();
        // Two maps have but one distance, their mean: what is divided by it is constant.
        boolean isConstant = channels == 2 && bandwidth.isDifferentiated();
        new Both(layer).compare(maps, isConstant ? 1 : 0);
      }
    }
  }

  @Test
  void aggregationOfEqualMaps() {
    for (Bandwidth bandwidth :
        new Bandwidth[] {Bandwidth.meanDistance(), Bandwidth.meanDistance().learnt()}) {
      KernelAggregationLayer layer =
          HostTest.aggregation().kernel(new RbfKernel(bandwidth)).build();
      compare(layer, Nd4j.ones(DataType.DOUBLE, 2, 5, 3, 3));
    }
  }

  @ParameterizedTest
  @CsvSource({"3, 8, 5", "2, 4, 4", "1, 3, 1", "2, 1, 1"})
  void transform(int images, int c, int p) {
    SpdTransformLayer layer = new SpdTransformLayer.Builder().nIn(c).nOut(p).build();
    compare(layer, HostTest.symmetric(images, c));
  }

  /** A training step looks at W once, together with its gradient; other passes look at once. */
  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY})
  void transformRefusesWhatIsNotFinite(double bad) {
    SpdTransformLayer conf = new SpdTransformLayer.Builder().nIn(4).nOut(2).build();
    Layer layer = HostTest.runtime(conf, DataType.DOUBLE, Backend.of(algebra));
    INDArray input = HostTest.symmetric(3, 4);
    INDArray epsilon = Nd4j.randn(DataType.DOUBLE, 3, 1, 2, 2);
    layer.activate(input, true, NO_WORKSPACES);
    assertThatThrownBy(() -> layer.backpropGradient(epsilon.dup().putScalar(0, bad), NO_WORKSPACES))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining("infinity in the gradient of W")
        .hasMessageContaining("no parameter was changed");
    layer.getParam("W").putScalar(3, bad);
    assertThatThrownBy(() -> layer.activate(input, false, NO_WORKSPACES))
        .hasMessageContaining("infinity in W");
    layer.activate(input, true, NO_WORKSPACES);
    assertThatThrownBy(() -> layer.backpropGradient(epsilon, NO_WORKSPACES))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining("infinity in W,");
  }

  @ParameterizedTest
  @CsvSource({"true, true, 1", "true, false, 1", "false, true, 10", "false, false, 3"})
  void vectorization(boolean power, boolean l2, double scale) {
    SpdVectorizationLayer layer =
        new SpdVectorizationLayer.Builder()
            .powerNormalization(power)
            .l2Normalization(l2)
            .scale(scale)
            .build();
    compare(layer, HostTest.symmetric(3, 6));
    new Both(layer).compare(HostTest.symmetric(2, 1), l2 ? 1 : 0); // its direction is ±1
    compare(layer, Nd4j.zeros(DataType.DOUBLE, 2, 1, 4, 4));
  }

  @ParameterizedTest
  @CsvSource({"2, 6, 5", "3, 4, 2", "2, 3, 1", "2, 1, 3"})
  void squareRoot(int images, int c, int iterations) {
    MatrixSquareRootLayer layer =
        new MatrixSquareRootLayer.Builder().iterations(iterations).build();
    compare(layer, HostTest.positive(images, c));
    compare(layer, Nd4j.zeros(DataType.DOUBLE, images, 1, c, c));
    SparseInverseLayer inverse = new SparseInverseLayer.Builder().iterations(iterations).build();
    compare(inverse, HostTest.positive(images, c));
    compare(inverse, Nd4j.zeros(DataType.DOUBLE, images, 1, c, c));
  }

  /** The last batch of an epoch is smaller, and the next one is as large as before. */
  @Test
  void batchesOfSeveralSizes() {
    KernelAggregationLayer aggregation = HostTest.aggregation().build();
    SpdTransformLayer transform = new SpdTransformLayer.Builder().nIn(5).nOut(3).build();
    SpdVectorizationLayer vectorization = new SpdVectorizationLayer.Builder().build();
    MatrixSquareRootLayer squareRoot = new MatrixSquareRootLayer.Builder().iterations(3).build();
    Both maps = new Both(aggregation);
    Both matrices = new Both(transform);
    Both vectors = new Both(vectorization);
    Both roots = new Both(squareRoot);
    Both inverses = new Both(new SparseInverseLayer.Builder().iterations(3).build());
    for (int images : new int[] {4, 2, 4, 1}) {
      maps.compare(Nd4j.randn(DataType.DOUBLE, images, 5, 3, 3), 0);
      matrices.compare(HostTest.symmetric(images, 5), 0);
      vectors.compare(HostTest.symmetric(images, 5), 0);
      roots.compare(HostTest.positive(images, 5), 0);
      inverses.compare(HostTest.positive(images, 5), 0);
    }
  }

  private void compare(SpdLayer conf, INDArray input) {
    new Both(conf).compare(input, 0);
  }

  /** A layer over each algebra. */
  private final class Both {
    private final Layer other;
    private final Layer ours;

    Both(SpdLayer conf) {
      other = HostTest.runtime(conf, DataType.DOUBLE, Backend.of(tested()));
      ours = HostTest.runtime(conf, DataType.DOUBLE, Backend.of(algebra));
      HostTest.moveBandwidth(ours);
      if (other.numParams() > 0) {
        other.params().assign(ours.params());
      }
    }

    /** With the length of terms that cancel in the gradient by the input; 0 if none do. */
    void compare(INDArray input, double cancelling) {
      int before = algebra.calls;
      INDArray original = input.dup();
      INDArray output = ours.activate(input, true, NO_WORKSPACES);
      assertClose(output, other.activate(input, true, NO_WORKSPACES), ROUNDING);
      INDArray epsilon = Nd4j.randn(DataType.DOUBLE, output.shape());
      output.assign(7); // the next layer may
      Pair<Gradient, INDArray> gradient = ours.backpropGradient(epsilon.dup(), NO_WORKSPACES);
      Pair<Gradient, INDArray> expected = other.backpropGradient(epsilon, NO_WORKSPACES);
      assertClose(gradient.getSecond(), expected.getSecond(), ROUNDING, cancelling);
      for (Map.Entry<String, INDArray> entry :
          expected.getFirst().gradientForVariable().entrySet()) {
        assertClose(gradient.getFirst().getGradientFor(entry.getKey()), entry.getValue(), ROUNDING);
      }
      assertThat(algebra.calls).isGreaterThan(before);
      assertThat(input).isEqualTo(original);
    }
  }
}
