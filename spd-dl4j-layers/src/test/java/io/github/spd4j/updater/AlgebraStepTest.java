/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.onManifold;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.manifold.StiefelGeometry;
import io.github.spd4j.manifold.StiefelMetric;
import io.github.spd4j.testing.LoopAlgebra;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Steps over an algebra of plain loops against those on the present backend. */
class AlgebraStepTest {

  private static final DataType[] TYPES = {DataType.FLOAT, DataType.DOUBLE};

  private final LoopAlgebra algebra = new LoopAlgebra();

  @BeforeEach
  void seed() {
    Nd4j.getRandom().setSeed(31);
  }

  static Stream<Arguments> steps() {
    List<Arguments> all = new ArrayList<>();
    for (StiefelMetric metric : StiefelMetric.values()) {
      for (double rate : new double[] {0, 1e-3, 0.1, 2}) { // the last needs many polar steps
        for (double momentum : new double[] {0, 0.9}) {
          all.add(Arguments.of(sgd(metric, Retraction.POLAR, rate, momentum)));
        }
        all.add(
            Arguments.of(
                StiefelAdam.builder()
                    .metric(metric)
                    .retraction(Retraction.POLAR)
                    .learningRate(rate)
                    .build()));
      }
      all.add(Arguments.of(sgd(metric, Retraction.QR, 0.1, 0.9)));
    }
    return all.stream();
  }

  private static StiefelSgd sgd(
      StiefelMetric metric, Retraction back, double rate, double momentum) {
    return StiefelSgd.builder()
        .metric(metric)
        .retraction(back)
        .learningRate(rate)
        .momentum(momentum)
        .build();
  }

  @ParameterizedTest
  @MethodSource("steps")
  void areThoseInFreshArrays(StiefelUpdater config) {
    for (DataType type : TYPES) {
      for (int[] size : new int[][] {{7, 4}, {5, 5}, {6, 1}, {1, 1}}) {
        compare(config, type, size[0], size[1]);
      }
    }
  }

  private void compare(StiefelUpdater config, DataType type, int n, int p) {
    INDArray start = Stiefel.random(type, n, p);
    Run fresh = new Run(config, new StiefelGeometry(), start.dup());
    Run stacked = new Run(config, geometryOn(algebra), start.dup());
    double farther = Math.max(1, config.getLearningRate(0, 0)); // as the condition of W + ξ
    for (int i = 0; i < 4; i++) {
      INDArray gradient = Nd4j.randn(type, n, p);
      int before = algebra.calls;
      fresh.step(gradient.dup(), i);
      stacked.step(gradient, i);
      assertThat(algebra.calls).isGreaterThan(before);
      assertClose(stacked.w, fresh.w, farther * rounding(type));
      assertSmall(Stiefel.distanceFromManifold(stacked.w), onManifold(type));
      if (fresh.state != null) {
        assertClose(stacked.state, fresh.state, farther * rounding(type));
      }
      stacked.w.assign(fresh.w); // each step by itself
    }
  }

  /** Parameters of several sizes in one block, and their memory side by side. */
  @Test
  void blocksOfSeveralSizes() {
    StiefelUpdater config = new StiefelAdam(0.01);
    INDArray first = Stiefel.random(DataType.DOUBLE, 6, 4);
    INDArray second = Stiefel.random(DataType.DOUBLE, 4, 2);
    Run fresh = new Run(config, new StiefelGeometry(), first.dup(), second.dup());
    Run stacked = new Run(config, geometryOn(algebra), first.dup(), second.dup());
    for (int i = 0; i < 3; i++) {
      INDArray gradient = Nd4j.randn(DataType.DOUBLE, 32);
      fresh.step(gradient.dup(), i);
      stacked.step(gradient, i);
    }
    assertClose(stacked.flat, fresh.flat, rounding(DataType.DOUBLE));
    assertClose(stacked.state, fresh.state, rounding(DataType.DOUBLE));
  }

  @Test
  void arraysAreUsedAgain() {
    StiefelGeometry geometry = geometryOn(algebra);
    INDArray w = Stiefel.identity(DataType.FLOAT, 6, 4);
    INDArray tangent =
        geometry.gradient(StiefelMetric.CANONICAL, w, Nd4j.randn(DataType.FLOAT, 6, 4));
    List<INDArray> points = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      INDArray again =
          geometry.gradient(StiefelMetric.EUCLIDEAN, w, Nd4j.randn(DataType.FLOAT, 6, 4));
      assertThat(again).isSameAs(tangent);
      INDArray point = geometry.retract(Retraction.POLAR, w, -0.1, again);
      if (points.stream().noneMatch(known -> known == point)) {
        points.add(point);
      }
    }
    assertThat(points).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void refusesWhatIsNotFinite() {
    for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
      for (DataType type : TYPES) {
        StiefelUpdater config = sgd(StiefelMetric.CANONICAL, Retraction.POLAR, 0.1, 0.9);
        Run run = new Run(config, geometryOn(algebra), Stiefel.identity(type, 4, 2));
        run.step(Nd4j.randn(type, 4, 2), 16);
        INDArray kept = run.flat.dup();
        INDArray memory = run.state.dup();
        INDArray gradient = Nd4j.ones(type, 4, 2).putScalar(3, bad);
        assertThatThrownBy(() -> run.step(gradient, 17))
            .isInstanceOf(NotFiniteException.class)
            .hasMessageContaining("W 0: got NaN or infinity in the gradient of W at iteration 17")
            .hasMessageContaining("no parameter was changed");
        assertThat(run.flat).isEqualTo(kept);
        assertThat(run.state).isEqualTo(memory);
        run.w.putScalar(0, bad);
        assertThatThrownBy(() -> run.step(Nd4j.ones(type, 4, 2), 18))
            .hasMessageContaining("infinity in W at iteration 18");
      }
    }
  }

  @Test
  void namesTheLayerWhereNoPolarFactorIs() {
    INDArray w = Stiefel.identity(DataType.FLOAT, 4, 2);
    for (StiefelGeometry geometry :
        new StiefelGeometry[] {new StiefelGeometry(), geometryOn(algebra)}) {
      Run run = new Run(sgd(StiefelMetric.CANONICAL, Retraction.POLAR, 1e30, 0), geometry, w.dup());
      assertThatThrownBy(() -> run.step(Nd4j.randn(DataType.FLOAT, 4, 2), 3))
          .isInstanceOf(NotFiniteException.class)
          .hasMessageContaining("W 0: StiefelSgd")
          .hasMessageContaining("could not bring W back to the Stiefel manifold at iteration 3")
          .hasMessageContaining("W is unchanged");
      assertThat(run.w).isEqualTo(w);
    }
  }

  /** One block of parameters and one updater, driven as DL4J drives them. */
  private static final class Run {
    private final INDArray flat;
    private final INDArray state;

    /** The first parameter, a view. */
    private final INDArray w;

    private final List<long[]> shapes = new ArrayList<>();
    private final StiefelStep updater;

    Run(StiefelUpdater config, StiefelGeometry geometry, INDArray... start) {
      long stateSize = 0;
      INDArray[] parts = new INDArray[start.length];
      for (int i = 0; i < start.length; i++) {
        parts[i] = start[i].reshape(start[i].length());
        shapes.add(start[i].shape());
        stateSize += config.stateSize(start[i].length());
      }
      flat = Nd4j.concat(0, parts);
      w = part(flat, 0, shapes.get(0)).reshape('c', shapes.get(0));
      state = stateSize == 0 ? null : Nd4j.create(flat.dataType(), stateSize);
      updater = new StiefelStep(config, state, true, geometry);
    }

    private static INDArray part(INDArray whole, long from, long[] shape) {
      return whole.get(NDArrayIndex.interval(from, from + shape[0] * shape[1]));
    }

    void step(INDArray gradient, int iteration) {
      INDArray block = gradient.reshape(gradient.length());
      long from = 0;
      for (int i = 0; i < shapes.size(); i++) {
        long[] shape = shapes.get(i);
        new StiefelHandOver("W " + i, shape[0], shape[1])
            .apply(part(flat, from, shape), part(block, from, shape), Double.NaN, iteration, 0);
        from += shape[0] * shape[1];
      }
      updater.applyUpdater(block, iteration, 0);
      flat.subi(block);
    }
  }

  private static StiefelGeometry geometryOn(Algebra algebra) {
    try (Backend.Pass pass = Backend.of(algebra).pass()) {
      return new StiefelGeometry();
    }
  }
}
