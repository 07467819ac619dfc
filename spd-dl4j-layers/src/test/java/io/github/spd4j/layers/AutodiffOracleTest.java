/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.linalg.Matrices;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.samediff.SDLayerParams;
import org.deeplearning4j.nn.conf.layers.samediff.SameDiffLambdaLayer;
import org.deeplearning4j.nn.conf.layers.samediff.SameDiffLayer;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.NoOp;

/**
 * Our closed forms against SameDiff's automatic differentiation of the same definitions, executed
 * by DL4J's own runtime layer, whose gradients are divided by the factor that DL4J puts on them.
 */
class AutodiffOracleTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  /** What DL4J's runtime multiplies the gradient of a SameDiff layer by: measured, not assumed. */
  private static double stockFactor() {
    SameDiffLambdaLayer twice =
        new SameDiffLambdaLayer() {
          private static final long serialVersionUID = 1L;

          @Override
          public SDVariable defineLayer(SameDiff sd, SDVariable input) {
            return input.mul(3);
          }

          @Override
          public InputType getOutputType(int layerIndex, InputType inputType) {
            return inputType;
          }
        };
    INDArray input = Nd4j.ones(DataType.DOUBLE, 2, 4);
    Layer layer = runtime(twice, null, true);
    layer.activate(input, true, NO_WORKSPACES);
    INDArray gradient = layer.backpropGradient(input.dup(), NO_WORKSPACES).getSecond();
    return gradient.getDouble(0) / 3;
  }

  /**
   * Fails when DL4J mends (or breaks) the gradients of its own SameDiff layers. Then read again why
   * this library has a runtime layer of its own.
   */
  @Test
  void dl4jStillDoublesGradientsOfItsOwnSameDiffLayers() {
    String version = System.getProperty("spd4j.dl4j.version");
    double expected = "1.0.0-M1.1".equals(version) ? 1 : 2;
    assertThat(stockFactor()).as("factor of DL4J %s", version).isEqualTo(expected);
  }

  private static Layer runtime(
      org.deeplearning4j.nn.conf.layers.Layer defined, INDArray params, boolean stock) {
    org.deeplearning4j.nn.conf.layers.Layer layer =
        stock && defined instanceof SpdLayer ? new Stock((SpdLayer) defined) : defined;
    NeuralNetConfiguration conf =
        new NeuralNetConfiguration.Builder().dataType(DataType.DOUBLE).layer(layer).build();
    long size = layer.initializer().numParams(conf);
    INDArray view = size == 0 ? null : Nd4j.create(DataType.DOUBLE, 1, size);
    Layer runtime = layer.instantiate(conf, null, 0, view, true, DataType.DOUBLE);
    if (size > 0) {
      view.assign(params.reshape(1, size));
      runtime.setBackpropGradientsViewArray(Nd4j.create(DataType.DOUBLE, 1, size));
    }
    return runtime;
  }

  /** A layer's definition for DL4J's own runtime. */
  private static final class Stock extends SameDiffLayer {
    private static final long serialVersionUID = 1L;

    private final SpdLayer layer;

    Stock(SpdLayer layer) {
      this.layer = layer;
    }

    @Override
    public InputType getOutputType(int layerIndex, InputType inputType) {
      return layer.getOutputType(layerIndex, inputType);
    }

    @Override
    public void defineParameters(SDLayerParams params) {
      layer.defineParameters(params);
    }

    @Override
    public void initializeParameters(Map<String, INDArray> params) {
      layer.initializeParameters(params);
    }

    @Override
    public SDVariable defineLayer(
        SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
      return layer.defineLayer(sd, input, params, mask);
    }
  }

  static Stream<Kernel> kernels() {
    return Stream.of(
        new RbfKernel(),
        new RbfKernel(Bandwidth.fixed(2)),
        new RbfKernel(Bandwidth.meanDistance().differentiated()),
        new RbfKernel(Bandwidth.fixed(2).learnt()),
        new RbfKernel(Bandwidth.meanDistance().times(0.7).differentiated().learnt()),
        new LaplacianKernel(),
        new LaplacianKernel(Bandwidth.meanDistance().differentiated().learnt()),
        PolynomialKernel.degree(3).offset(0.5).scale(0.2),
        new LedoitWolfKernel(),
        new CovarianceKernel());
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void kernelAggregation(Kernel kernel) {
    Nd4j.getRandom().setSeed(1);
    INDArray input = Nd4j.randn(DataType.DOUBLE, 2, 5, 3, 3);
    INDArray epsilon = Nd4j.randn(DataType.DOUBLE, 2, 1, 5, 5);
    KernelAggregationLayer conf = new KernelAggregationLayer.Builder().kernel(kernel).build();
    boolean learnt = !kernel.parameters().isEmpty();
    compare(conf, learnt ? Nd4j.scalar(DataType.DOUBLE, 0.3) : null, input, epsilon);
  }

  @ParameterizedTest
  @EnumSource(Rectifier.class)
  void transform(Rectifier rectifier) {
    Nd4j.getRandom().setSeed(2);
    INDArray input =
        Matrices.symmetricPart(Nd4j.randn(DataType.DOUBLE, 3, 5, 5)).reshape(3, 1, 5, 5);
    INDArray epsilon =
        Matrices.symmetricPart(Nd4j.randn(DataType.DOUBLE, 3, 4, 4)).reshape(3, 1, 4, 4);
    SpdTransformLayer conf =
        new SpdTransformLayer.Builder()
            .nIn(5)
            .nOut(4)
            .rectifier(rectifier)
            .updater(new NoOp()) // W is any matrix
            .build();
    compare(conf, Nd4j.randn(DataType.DOUBLE, 5, 4), input, epsilon);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void matrixSquareRoot(int iterations) {
    Nd4j.getRandom().setSeed(3);
    INDArray factors = Nd4j.randn(DataType.DOUBLE, 3, 5, 8);
    INDArray input = Matrices.transposeSecond(factors, factors).reshape(3, 1, 5, 5);
    INDArray epsilon =
        Matrices.symmetricPart(Nd4j.randn(DataType.DOUBLE, 3, 5, 5)).reshape(3, 1, 5, 5);
    compare(
        new MatrixSquareRootLayer.Builder().iterations(iterations).build(), null, input, epsilon);
  }

  static Stream<SpdLayer> layersOnMatrices() {
    return Stream.of(
        new SpdVectorizationLayer.Builder().build(),
        new SpdVectorizationLayer.Builder().powerNormalization(false).scale(3).build(),
        new LogEigLayer.Builder().floor(0.5).build(),
        new ReEigLayer.Builder().floor(0.5).build(),
        new ExpEigLayer.Builder().build(),
        new MatrixPowerLayer.Builder().exponent(0.3).build(),
        new LogCholeskyLayer.Builder().build(),
        new SparseInverseLayer.Builder().build(),
        new ShrinkageLayer.Builder().shrinkage(0.3).build());
  }

  /** Of matrices with different eigenvalues, with equal ones, and with some of both. */
  @ParameterizedTest
  @MethodSource("layersOnMatrices")
  void onMatrices(SpdLayer conf) {
    Nd4j.getRandom().setSeed(4);
    INDArray factors = Nd4j.randn(DataType.DOUBLE, 3, 5, 8).divi(3);
    INDArray eye = Nd4j.eye(5).castTo(DataType.DOUBLE);
    INDArray input = Matrices.transposeSecond(factors, factors);
    input.slice(1).assign(eye);
    input.slice(2).assign(eye.mul(2));
    input.slice(2).putScalar(0, 1, 0.1).putScalar(1, 0, 0.1);
    InputType output = conf.getOutputType(0, InputType.convolutional(5, 5, 1));
    boolean toVector = output.getType() == InputType.Type.FF;
    INDArray epsilon =
        toVector
            ? Nd4j.randn(DataType.DOUBLE, 3, 15)
            : Matrices.symmetricPart(Nd4j.randn(DataType.DOUBLE, 3, 5, 5)).reshape(3, 1, 5, 5);
    compare(conf, null, input.reshape(3, 1, 5, 5), epsilon);
  }

  static Stream<SpdLayer> layersOnMaps() {
    return Stream.of(
        new BilinearPoolingLayer.Builder().build(),
        new CompactBilinearLayer.Builder().sketchSize(7).seed(3).build());
  }

  @ParameterizedTest
  @MethodSource("layersOnMaps")
  void onMaps(SpdLayer conf) {
    Nd4j.getRandom().setSeed(5);
    INDArray input = Nd4j.randn(DataType.DOUBLE, 2, 5, 4, 3);
    compare(conf, null, input, Nd4j.randn(DataType.DOUBLE, 2, conf.outputSize(5)));
  }

  private static void compare(SpdLayer conf, INDArray params, INDArray input, INDArray epsilon) {
    Pair<Gradient, INDArray> ours = run(conf, params, input, epsilon, false);
    Pair<Gradient, INDArray> stock = run(conf, params, input, epsilon, true);
    double factor = stockFactor();
    assertClose(ours.getSecond(), stock.getSecond().div(factor), ROUNDING);
    if (params != null) {
      Map<String, INDArray> expected = stock.getFirst().gradientForVariable();
      assertThat(ours.getFirst().gradientForVariable()).hasSameSizeAs(expected).hasSize(1);
      expected.forEach(
          (name, gradient) ->
              assertClose(ours.getFirst().getGradientFor(name), gradient.div(factor), ROUNDING));
    } else {
      assertSmall(ours.getFirst().gradientForVariable().size(), 0);
    }
  }

  private static Pair<Gradient, INDArray> run(
      SpdLayer conf, INDArray params, INDArray input, INDArray epsilon, boolean stock) {
    Layer layer = runtime(conf, params, stock);
    layer.activate(input.dup(), true, NO_WORKSPACES);
    return layer.backpropGradient(epsilon.dup(), NO_WORKSPACES);
  }
}
