/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Nd4jAlgebra;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** The forward passes over an algebra, in DOUBLE, against the definitions in SameDiff. */
class DefinitionTest {

  static Stream<Kernel> kernels() {
    return Stream.of(
            Bandwidth.meanDistance(),
            Bandwidth.meanDistance().times(0.5).learnt(),
            Bandwidth.meanDistance().differentiated(),
            Bandwidth.fixed(2),
            Bandwidth.fixed(2).learnt())
        .flatMap(width -> Stream.of(new RbfKernel(width), new LaplacianKernel(width)));
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void radialKernels(Kernel kernel) {
    KernelAggregationLayer.Builder layer = new KernelAggregationLayer.Builder().kernel(kernel);
    for (int channels : new int[] {1, 2, 7}) {
      compare(layer.ridge(0.1).build(), random(3, channels, 4, 3));
    }
    compare(layer.build(), Nd4j.ones(DataType.DOUBLE, 2, 5, 3, 3));
    INDArray twoDead = random(2, 6, 3, 3);
    twoDead.slice(0).slice(1).assign(0);
    twoDead.slice(0).slice(2).assign(0);
    compare(layer.build(), twoDead);
  }

  @Test
  void otherKernels() {
    for (Kernel kernel :
        new Kernel[] {
          PolynomialKernel.degree(3).offset(0.5).scale(0.2),
          new CovarianceKernel(),
          new LedoitWolfKernel()
        }) {
      compare(new KernelAggregationLayer.Builder().kernel(kernel).build(), random(3, 5, 4, 3));
    }
  }

  @ParameterizedTest
  @EnumSource(Rectifier.class)
  void transform(Rectifier rectifier) {
    compare(
        new SpdTransformLayer.Builder().nIn(6).nOut(4).rectifier(rectifier).build(),
        HostTest.symmetric(3, 6));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 9})
  void vectorization(int n) {
    for (boolean on : new boolean[] {true, false}) {
      SpdVectorizationLayer.Builder layer = new SpdVectorizationLayer.Builder().scale(3);
      compare(layer.powerNormalization(on).build(), HostTest.symmetric(3, n));
      compare(layer.build(), HostTest.symmetric(1, n));
      compare(layer.l2Normalization(on).build(), HostTest.symmetric(3, n));
      compare(layer.build(), Nd4j.zeros(DataType.DOUBLE, 2, 1, n, n));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void squareRoot(int iterations) {
    MatrixSquareRootLayer layer =
        new MatrixSquareRootLayer.Builder().iterations(iterations).build();
    compare(layer, HostTest.positive(3, 5));
    compare(layer, Nd4j.zeros(DataType.DOUBLE, 2, 1, 3, 3));
  }

  /** Eigenvalues of both signs, and more of them than ND4J's decomposition divides at. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 20})
  void functionsOfEigenvalues(int n) {
    assumeTrue(
        HostFloats.isPossible(Nd4j.create(DataType.FLOAT, 1)),
        "ND4J's singular values are good to single precision alone on a GPU");
    compare(new LogEigLayer.Builder().floor(0.01).build(), HostTest.symmetric(3, n));
    compare(new ReEigLayer.Builder().floor(0.01).build(), HostTest.symmetric(3, n));
    compare(new ExpEigLayer.Builder().build(), HostTest.symmetric(3, n).muli(0.3));
    compare(
        new MatrixPowerLayer.Builder().exponent(0.25).floor(0.01).build(),
        HostTest.symmetric(3, n));
  }

  @Test
  void logCholesky() {
    for (int n : new int[] {1, 2, 5}) {
      INDArray eye = Nd4j.eye(n).castTo(DataType.DOUBLE).reshape(1, 1, n, n);
      INDArray factors = random(3, 1, n, 2 * n);
      INDArray matrices = Nd4j.matmul(factors, factors.permute(0, 1, 3, 2)).addi(eye);
      compare(new LogCholeskyLayer.Builder().build(), matrices);
      compare(new LogCholeskyLayer.Builder().build(), matrices.get(NDArrayIndex.interval(0, 1)));
    }
  }

  @ParameterizedTest
  @EnumSource(LogMetric.class)
  void batchNormalisation(LogMetric metric) {
    for (int n : new int[] {1, 2, 5}) {
      SpdBatchNormalizationLayer layer =
          new SpdBatchNormalizationLayer.Builder().nIn(n).metric(metric).floor(0.01).build();
      INDArray eye = Nd4j.eye(n).castTo(DataType.DOUBLE).reshape(1, 1, n, n);
      compare(layer, HostTest.positive(3, n).addi(eye));
      INDArray domains = Nd4j.ones(DataType.DOUBLE, 3, 1, n, n);
      domains.slice(1).assign(0);
      compare(
          new SpdBatchNormalizationLayer.Builder().nIn(n).metric(metric).domains(2).build(),
          Nd4j.concat(1, HostTest.positive(3, n).addi(eye).muli(1e6), domains)); // far away
    }
  }

  @Test
  void shrinkage() {
    for (int n : new int[] {1, 2, 5}) {
      for (boolean on : new boolean[] {true, false}) {
        ShrinkageLayer.Builder layer = new ShrinkageLayer.Builder().nIn(n).shrinkage(0.3);
        compare(layer.traceNormalization(on).build(), HostTest.positive(3, n));
        compare(layer.learntFrom(0.3).build(), HostTest.positive(3, n));
        compare(layer.build(), Nd4j.zeros(DataType.DOUBLE, 2, 1, n, n));
      }
    }
  }

  @Test
  void sparseInverse() {
    for (int n : new int[] {1, 2, 5}) {
      compare(new SparseInverseLayer.Builder().build(), HostTest.positive(3, n));
      compare(
          new SparseInverseLayer.Builder().steps(0).build(),
          Nd4j.zeros(DataType.DOUBLE, 2, 1, n, n));
    }
  }

  @Test
  void scaleAndShift() {
    for (boolean rectified : new boolean[] {true, false}) {
      compare(
          new ScaleShiftLayer.Builder().nIn(5).rectified(rectified).build(), random(3, 5, 4, 3));
    }
  }

  @Test
  void pooling() {
    compare(new BilinearPoolingLayer.Builder().build(), random(3, 5, 4, 3));
    for (int sketch : new int[] {1, 7}) {
      CompactBilinearLayer.Builder layer = new CompactBilinearLayer.Builder().seed(3);
      compare(layer.sketchSize(sketch).build(), random(3, 5, 4, 3));
      compare(layer.build(), random(1, 5, 4, 3));
      compare(layer.build(), random(3, 1, 4, 3));
    }
  }

  private static INDArray random(long... shape) {
    Nd4j.getRandom().setSeed(5);
    return Nd4j.randn(DataType.DOUBLE, shape);
  }

  private static void moveStatistics(Layer layer) {
    if (layer.conf().getLayer() instanceof SpdBatchNormalizationLayer) {
      layer.getParam("bias").assign(0.1);
      layer.getParam("dispersion").assign(1.3);
      layer.getParam("mean").assign(-0.2);
      layer.getParam("mean").getRow(0).addi(0.1); // another one than that of other domains
      layer.getParam("variance").assign(0.7);
    }
  }

  private static void compare(SpdLayer conf, INDArray input) {
    Layer layer = HostTest.runtime(conf, DataType.DOUBLE, Backend.of(new Nd4jAlgebra()));
    HostTest.moveBandwidth(layer);
    moveStatistics(layer);
    INDArray actual = layer.activate(input, false, LayerWorkspaceMgr.noWorkspaces());
    SameDiff sd = SameDiff.create();
    Map<String, INDArray> values = new HashMap<>(layer.paramTable());
    Map<String, SDVariable> params = new HashMap<>();
    values.forEach((name, p) -> params.put(name, sd.placeHolder(name, p.dataType(), p.shape())));
    SDVariable in = sd.placeHolder("input", input.dataType(), input.shape());
    values.put("input", input);
    String output = conf.defineLayer(sd, in, params, null).name();
    assertClose(actual, sd.output(values, output).get(output), ROUNDING);
  }
}
