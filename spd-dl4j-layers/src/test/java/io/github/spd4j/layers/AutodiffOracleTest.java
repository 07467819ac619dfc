/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Sample;
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
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Our closed forms against SameDiff's automatic differentiation of the same definitions, executed
 * by DL4J's own runtime layer, whose gradients are divided by the factor that DL4J puts on them.
 */
class AutodiffOracleTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  private static final double STOCK_FACTOR = stockFactor();

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
    Layer layer = runtime(twice);
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
    assertThat(STOCK_FACTOR).as("factor of DL4J %s", version).isEqualTo(expected);
  }

  private static Layer runtime(SameDiffLayer layer) {
    NeuralNetConfiguration conf =
        new NeuralNetConfiguration.Builder().dataType(DataType.DOUBLE).layer(layer).build();
    long size = layer.initializer().numParams(conf);
    INDArray params = size == 0 ? null : Nd4j.create(DataType.DOUBLE, 1, size);
    Layer runtime = layer.instantiate(conf, null, 0, params, true, DataType.DOUBLE);
    if (size > 0) {
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
      return layer.defineLayer(sd, input, params, null); // its mask is one of examples
    }
  }

  static Stream<Sample> samples() {
    return LayerCases.samples(Check.AUTODIFF);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void theClosedFormIsTheDerivativeOfTheDefinition(Sample sample) {
    Layer ours = sample.runtime(DataType.DOUBLE, Backend.current());
    Layer stock = runtime(new Stock(sample.layer()));
    ours.paramTable().forEach((name, value) -> stock.getParam(name).assign(value));
    INDArray output = ours.activate(sample.input(), true, NO_WORKSPACES);
    stock.activate(sample.input(), true, NO_WORKSPACES);
    INDArray epsilon = epsilon(output);
    Pair<Gradient, INDArray> actual = ours.backpropGradient(epsilon.dup(), NO_WORKSPACES);
    Pair<Gradient, INDArray> expected = stock.backpropGradient(epsilon.dup(), NO_WORKSPACES);
    assertClose(actual.getSecond(), expected.getSecond().div(STOCK_FACTOR), ROUNDING);
    Map<String, INDArray> byParams = actual.getFirst().gradientForVariable();
    assertThat(byParams).containsOnlyKeys(ours.paramTable().keySet());
    byParams.forEach(
        (name, gradient) -> {
          INDArray whole = expected.getFirst().getGradientFor(name).div(STOCK_FACTOR);
          boolean learnt = sample.layer().isLearnt(name);
          assertClose(gradient, learnt ? whole : whole.muli(0), ROUNDING);
        });
  }

  /** Symmetric where the output is: of what is symmetric, the two derive the same then. */
  private static INDArray epsilon(INDArray output) {
    INDArray any = Nd4j.randn(DataType.DOUBLE, output.shape());
    boolean areMatrices =
        output.rank() == 4 && output.size(1) == 1 && output.size(2) == output.size(3);
    return areMatrices ? any.addi(any.permute(0, 1, 3, 2).dup()).divi(2) : any;
  }
}
