/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.testing.Networks;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.NoOp;

class BilinearPoolingLayerTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  private static BilinearPoolingLayer.Builder layer() {
    return new BilinearPoolingLayer.Builder();
  }

  static Stream<BilinearPoolingLayer> options() {
    return Stream.of(
        layer().build(),
        layer().powerFloor(0.3).scale(10).build(),
        layer().powerNormalization(false).build(),
        layer().l2Normalization(false).build(),
        layer().powerNormalization(false).l2Normalization(false).scale(0.5).build());
  }

  private static INDArray images() {
    Nd4j.getRandom().setSeed(3);
    return Nd4j.randn(DataType.DOUBLE, 2, 4, 3, 2);
  }

  private static Layer runtime(BilinearPoolingLayer layer) {
    NeuralNetConfiguration conf =
        new NeuralNetConfiguration.Builder().dataType(DataType.DOUBLE).layer(layer).build();
    return layer.instantiate(conf, null, 0, null, true, DataType.DOUBLE);
  }

  private static INDArray activate(BilinearPoolingLayer layer, INDArray input) {
    return runtime(layer).activate(input, false, NO_WORKSPACES);
  }

  /** X of one image, and what the layer makes of it, entry by entry. */
  private static double[] byDefinition(BilinearPoolingLayer layer, INDArray image) {
    int c = (int) image.size(0);
    double[] v = new double[c * c];
    double squares = 0;
    for (int i = 0; i < c; i++) {
      for (int j = 0; j < c; j++) {
        double x = meanProduct(image, i, j);
        double phi = layer.getPowerFloor();
        double root = Math.signum(x) * (Math.sqrt(Math.abs(x) + phi * phi) - phi);
        v[i * c + j] = layer.isPowerNormalization() ? root : x;
        squares += v[i * c + j] * v[i * c + j];
      }
    }
    double norm = layer.isL2Normalization() ? Math.sqrt(squares) : 1;
    for (int k = 0; k < v.length; k++) {
      v[k] *= layer.getScale() / norm;
    }
    return v;
  }

  private static double meanProduct(INDArray image, int i, int j) {
    double sum = 0;
    for (int y = 0; y < image.size(1); y++) {
      for (int x = 0; x < image.size(2); x++) {
        sum += image.getDouble(i, y, x) * image.getDouble(j, y, x);
      }
    }
    return sum / (image.size(1) * image.size(2));
  }

  @ParameterizedTest
  @MethodSource("options")
  void isItsDefinition(BilinearPoolingLayer layer) {
    INDArray images = images();
    INDArray actual = activate(layer, images);
    assertThat(actual.shape()).containsExactly(2, 16);
    for (int i = 0; i < images.size(0); i++) {
      INDArray expected = Nd4j.createFromArray(byDefinition(layer, images.slice(i)));
      assertClose(actual.getRow(i), expected, ROUNDING);
    }
  }

  @Test
  void channelsLastIsChannelsFirst() {
    INDArray first = images();
    INDArray last = first.permute(0, 2, 3, 1).dup();
    INDArray epsilon = Nd4j.randn(DataType.DOUBLE, 2, 16);
    Layer onFirst = runtime(layer().build());
    Layer onLast = runtime(layer().dataFormat(CNN2DFormat.NHWC).build());
    assertClose(
        onLast.activate(last, true, NO_WORKSPACES),
        onFirst.activate(first, true, NO_WORKSPACES),
        ROUNDING);
    INDArray byLast = onLast.backpropGradient(epsilon, NO_WORKSPACES).getSecond();
    INDArray byFirst = onFirst.backpropGradient(epsilon, NO_WORKSPACES).getSecond();
    assertClose(byLast.permute(0, 3, 1, 2), byFirst, ROUNDING);
  }

  /** The same network in both formats: what DL4J hands over in NHWC is understood. */
  @ParameterizedTest
  @EnumSource(CNN2DFormat.class)
  void takesUpTheFormatOfTheNetwork(CNN2DFormat format) {
    ComputationGraph net =
        Networks.plain(
            Networks.general(DataType.DOUBLE, new NoOp()),
            List.of(layer().build()),
            InputType.convolutional(3, 2, 4, format));
    INDArray images = images();
    INDArray input = format == CNN2DFormat.NHWC ? images.permute(0, 2, 3, 1).dup() : images;
    INDArray vector = net.feedForward(input, false).get("layer0");
    assertClose(vector, activate(layer().build(), images), ROUNDING);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void mapsOfZerosGiveAZeroVectorAndNoGradient(DataType type) {
    NeuralNetConfiguration conf =
        new NeuralNetConfiguration.Builder().dataType(type).layer(layer().build()).build();
    Layer runtime = conf.getLayer().instantiate(conf, null, 0, null, true, type);
    INDArray zeros = Nd4j.zeros(type, 2, 4, 3, 3);
    INDArray output = runtime.activate(zeros, true, NO_WORKSPACES);
    assertThat(output).isEqualTo(Nd4j.zeros(type, 2, 16));
    INDArray gradient = runtime.backpropGradient(Nd4j.ones(type, 2, 16), NO_WORKSPACES).getSecond();
    assertThat(gradient).isEqualTo(zeros);
  }

  @ParameterizedTest
  @MethodSource("options")
  void survivesJson(BilinearPoolingLayer layer) {
    ComputationGraph net =
        Networks.forGradientCheck(List.of(layer), InputType.convolutional(6, 6, 2));
    String json = net.getConfiguration().toJson();
    ComputationGraph read = new ComputationGraph(ComputationGraphConfiguration.fromJson(json));
    read.init();
    read.setParams(net.params());
    assertThat(read.getLayer("layer0").conf().getLayer())
        .isEqualTo(net.getLayer("layer0").conf().getLayer())
        .hasToString(net.getLayer("layer0").conf().getLayer().toString());
    DataSet data = Networks.images(DataType.DOUBLE, 1, 3, 2, 6, 6);
    assertThat(read.score(data)).isEqualTo(net.score(data));
  }

  @Test
  void refusesWhatItCannotUse() {
    assertThatThrownBy(() -> activate(layer().nIn(5).build(), images()))
        .isInstanceOf(DL4JInvalidInputException.class)
        .hasMessageContaining("with 5 channels in [N, C, H, W], got shape [2, 4, 3, 2]");
    assertThatThrownBy(() -> layer().nIn(5).build().getOutputType(0, InputType.feedForward(3)))
        .isInstanceOf(DL4JInvalidConfigException.class)
        .hasMessageContaining("convolutional input [N, C, H, W] or [N, H, W, C], got");
  }
}
