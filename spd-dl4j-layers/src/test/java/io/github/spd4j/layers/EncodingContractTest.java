/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.DERIVATIVE;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import io.github.spd4j.testing.FiniteDifferences;
import io.github.spd4j.testing.Networks;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;

/** What every layer that encodes descriptors keeps to, whatever the shapes and options. */
class EncodingContractTest {

  private static final LayerWorkspaceMgr NONE = LayerWorkspaceMgr.noWorkspaces();
  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);

  /** How many cases are drawn. */
  private static final int CASES = 10;

  static Stream<SpdLayer> layers() {
    return Stream.of(
        new TextureEncodingLayer.Builder().words(4).build(),
        new FisherVectorLayer.Builder().components(3).dimensions(4).build());
  }

  private static ComputationGraph net(SpdLayer layer, DataType type) {
    return Networks.convolutional(
        Networks.general(type, new Nesterovs(0.1, 0.9)), List.of(layer.clone()), IMAGE);
  }

  @ParameterizedTest
  @MethodSource("layers")
  void backwardNeedsNoForwardAndItsInputsAreNotChanged(SpdLayer layer) {
    ComputationGraph net = net(layer, DataType.DOUBLE);
    net.initGradientsView();
    Layer runtime = net.getLayer("layer0");
    Nd4j.getRandom().setSeed(4);
    INDArray maps = Nd4j.randn(DataType.DOUBLE, 2, 5, 4, 4);
    INDArray copy = maps.dup();
    INDArray output = runtime.activate(maps, true, NONE);
    INDArray epsilon = Nd4j.randn(DataType.DOUBLE, output.shape());
    INDArray epsilonCopy = epsilon.dup();
    output.assign(77); // the next layer may overwrite it
    INDArray expected = runtime.backpropGradient(epsilon, NONE).getSecond().dup();
    runtime.activate(maps, false, NONE); // inference keeps nothing
    assertThat(runtime.backpropGradient(epsilon, NONE).getSecond()).isEqualTo(expected);
    assertThat(maps).isEqualTo(copy);
    assertThat(epsilon).isEqualTo(epsilonCopy);
    assertThat(((SpdRuntimeLayer) runtime).clone().params()).isEqualTo(runtime.params());
  }

  /** Drawn by a seed: shapes, format, options, and maps that are dead, equal or constant. */
  private static final class Case {
    private final Random random;
    private final boolean channelsLast;
    private final long[] shape;
    private final SpdLayer layer;
    private final int degenerate;

    Case(int seed) {
      random = new Random(seed * 7919L);
      channelsLast = random.nextBoolean();
      shape = new long[] {pick(1, 2, 3), pick(1, 2, 5), pick(1, 2, 4), pick(1, 3)};
      degenerate = random.nextInt(4);
      layer = seed % 2 == 0 ? texture() : fisher();
    }

    private int pick(int... values) {
      return values[random.nextInt(values.length)];
    }

    private SpdLayer texture() {
      return new TextureEncodingLayer.Builder()
          .words(pick(1, 2, 6))
          .powerNormalization(random.nextBoolean())
          .l2Normalization(random.nextInt(4) != 0)
          .scale(pick(1, 10))
          .build();
    }

    private SpdLayer fisher() {
      return new FisherVectorLayer.Builder()
          .components(pick(1, 2, 4))
          .dimensions(random.nextBoolean() ? 0 : 1)
          .powerNormalization(random.nextBoolean())
          .l2Normalization(random.nextInt(4) != 0)
          .scale(pick(1, 10))
          .build();
    }

    ComputationGraph net(DataType type) {
      CNN2DFormat format = channelsLast ? CNN2DFormat.NHWC : CNN2DFormat.NCHW;
      return Networks.plain(
          Networks.general(type, new Nesterovs(0.02, 0.9)).l2(1e-3),
          List.of(layer.clone()),
          InputType.convolutional(shape[2], shape[3], shape[1], format));
    }

    DataSet data(DataType type) {
      DataSet data = Networks.images(type, 3, shape);
      INDArray maps = data.getFeatures();
      if (degenerate == 1) {
        maps.tensorAlongDimension(0, 0, 2, 3).assign(0);
      } else if (degenerate == 2) {
        maps.assign(0.7);
      }
      return channelsLast ? new DataSet(maps.permute(0, 2, 3, 1).dup(), data.getLabels()) : data;
    }
  }

  static IntStream seeds() {
    return IntStream.rangeClosed(1, CASES);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void drawnCasesTrainInBothTypes(int seed) {
    Case drawn = new Case(seed);
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      ComputationGraph net = drawn.net(type);
      for (int i = 0; i < 3; i++) {
        net.fit(drawn.data(type));
        assertThat(net.score()).as("%s", drawn.layer).isFinite();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void drawnCasesHaveTheirDerivativesByInputAndParameters(int seed) {
    Case drawn = new Case(seed);
    ComputationGraph net = drawn.net(DataType.DOUBLE);
    net.initGradientsView();
    Layer layer = net.getLayer("layer0");
    INDArray input = drawn.data(DataType.DOUBLE).getFeatures();
    Nd4j.getRandom().setSeed(seed);
    INDArray epsilon = Nd4j.randn(DataType.DOUBLE, layer.activate(input, true, NONE).shape());
    INDArray byInput = layer.backpropGradient(epsilon, NONE).getSecond().dup();
    INDArray along = Nd4j.randn(DataType.DOUBLE, input.shape());
    double expected = FiniteDifferences.along(x -> loss(layer, x, epsilon), input, along);
    assertDerivative(byInput.mul(along).sumNumber().doubleValue(), expected, drawn);

    if (drawn.layer instanceof TextureEncodingLayer) {
      INDArray params = layer.params().dup();
      INDArray byParams = layer.getGradientsViewArray().dup();
      INDArray direction = Nd4j.randn(DataType.DOUBLE, params.shape());
      double slope =
          FiniteDifferences.along(
              p -> {
                layer.params().assign(p);
                return loss(layer, input, epsilon);
              },
              params,
              direction);
      double actual = byParams.reshape(params.shape()).mul(direction).sumNumber().doubleValue();
      assertDerivative(actual, slope, drawn);
    }
  }

  private static double loss(Layer layer, INDArray input, INDArray epsilon) {
    return layer.activate(input, false, NONE).mul(epsilon).sumNumber().doubleValue();
  }

  private static void assertDerivative(double actual, double expected, Case drawn) {
    double error = Math.abs(actual - expected) / Math.max(1, Math.abs(expected));
    assertThat(error).as("%s", drawn.layer).isLessThanOrEqualTo(DERIVATIVE);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void drawnCasesSurviveJsonAndABatchComputesWhatItsExamplesDo(int seed) {
    Case drawn = new Case(seed);
    ComputationGraph net = drawn.net(DataType.DOUBLE);
    String json = net.getConfiguration().toJson();
    ComputationGraph copy = new ComputationGraph(ComputationGraphConfiguration.fromJson(json));
    copy.init();
    copy.setParams(net.params());
    assertThat(copy.getLayer("layer0").conf().getLayer())
        .isEqualTo(net.getLayer("layer0").conf().getLayer())
        .hasToString(net.getLayer("layer0").conf().getLayer().toString());
    INDArray images = drawn.data(DataType.DOUBLE).getFeatures();
    INDArray expected = net.outputSingle(images);
    assertThat(copy.outputSingle(images)).isEqualTo(expected);
    for (int b = 0; b < images.size(0); b++) {
      long[] shape = images.shape().clone();
      shape[0] = 1;
      INDArray one = net.outputSingle(images.slice(b).dup().reshape(shape));
      assertClose(one, expected.getRow(b, true), ROUNDING);
    }
  }
}
