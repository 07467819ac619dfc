/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.parallel.StiefelAveraging;
import io.github.spd4j.testing.Networks;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.api.OptimizationAlgorithm;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.NoOp;

/** A W that is not on the manifold is not computed with, however it came into the network. */
class OffManifoldTest {

  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);
  private static final DataSet DATA = Networks.images(DataType.FLOAT, 1, 6, 2, 6, 6);
  private static final String GRAPH_W = "layer1_W";
  private static final String LAYERS_W = "2_W";

  private final ComputationGraph graph =
      Networks.convolutional(
          Networks.general(DataType.FLOAT, new Nesterovs(0.1, 0.9)), Networks.head(), IMAGE);
  private final MultiLayerNetwork layers =
      Networks.layers(
          Networks.general(DataType.FLOAT, new Nesterovs(0.1, 0.9)), Networks.head(), IMAGE);

  static Stream<Consumer<Model>> changes() {
    return Stream.of(
        net -> net.setParams(Nd4j.randn(DataType.FLOAT, net.params().shape())),
        net -> net.setParams(net.params().mul(1.01)),
        net -> net.params().assign(1),
        net -> net.params().assign(0),
        net -> net.params().muli(-0.5));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void isRefusedByTheForwardPass(Consumer<Model> change) {
    change.accept(graph);
    assertRefused(() -> graph.output(DATA.getFeatures()));
    assertRefused(() -> graph.fit(DATA));
    assertRefused(() -> graph.score(DATA));
    change.accept(layers);
    assertRefused(() -> layers.output(DATA.getFeatures()));
    assertRefused(() -> layers.fit(DATA));
  }

  private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("SpdTransformLayer 'layer")
        .hasMessageContaining("expected W on the Stiefel manifold, ‖WᵀW − I‖ up to 0.001, got ")
        .hasMessageContaining("Stiefel.nearest(W)")
        .hasMessageContaining("ManifoldParallelWrapper")
        .hasMessageContaining("StiefelTrainingMaster");
  }

  @Test
  void isRefusedByTheSetter() {
    INDArray bad = Nd4j.randn(DataType.FLOAT, 5, 3);
    INDArray before = graph.params().dup();
    assertRefused(() -> graph.setParam(GRAPH_W, bad));
    assertRefused(() -> graph.getLayer("layer1").setParamTable(Map.of("W", bad)));
    assertThat(graph.params()).isEqualTo(before);
    assertRefused(() -> layers.setParam(LAYERS_W, bad));
    INDArray good = Stiefel.nearest(bad);
    graph.setParam(GRAPH_W, good);
    layers.setParam(LAYERS_W, good);
    assertThat(graph.getParam(GRAPH_W)).isEqualTo(good);
    assertThat(layers.getParam(LAYERS_W)).isEqualTo(good);
    graph.fit(DATA);
    layers.fit(DATA);
  }

  @Test
  void canBeBroughtBack() {
    graph.params().muli(1.5);
    assertThat(StiefelAveraging.restore(graph)).isGreaterThan(1);
    graph.fit(DATA);
    layers.params().muli(1.5);
    StiefelAveraging.restore(layers);
    layers.fit(DATA);
  }

  /** The step of a gradient check is let pass, what is much larger is not. */
  @Test
  void mayBeOffByTheStepOfAGradientCheck() {
    for (int i = 0; i < 15; i++) {
      INDArray w = graph.getParam(GRAPH_W);
      double kept = w.getDouble(i);
      w.putScalar(i, kept + 1e-4);
      assertThatCode(() -> graph.output(DATA.getFeatures())).doesNotThrowAnyException();
      w.putScalar(i, kept + 0.05);
      assertRefused(() -> graph.output(DATA.getFeatures()));
      w.putScalar(i, kept);
    }
  }

  /** The formulas hold for any W, and NoOp is the updater of gradient checks. */
  @Test
  void mayBeAnythingInAGradientCheck() {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new NoOp()), Networks.head(), IMAGE);
    net.setParam(GRAPH_W, Nd4j.randn(DataType.FLOAT, 5, 3));
    net.output(DATA.getFeatures());
    net.getParam(GRAPH_W).putScalar(2, Float.NaN);
    assertThatThrownBy(() -> net.output(DATA.getFeatures()))
        .hasMessageContaining("got NaN or infinity in W");
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "STOCHASTIC_GRADIENT_DESCENT")
  void lineSearchesAreRefused(OptimizationAlgorithm algorithm) {
    ComputationGraph searched =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Nesterovs(0.1)).optimizationAlgo(algorithm),
            Networks.head(),
            IMAGE);
    INDArray before = searched.params().dup();
    assertThatThrownBy(() -> searched.fit(DATA))
        .hasMessageContaining("SpdTransformLayer 'layer1'")
        .hasMessageContaining("expected optimizationAlgo(STOCHASTIC_GRADIENT_DESCENT)")
        .hasMessageContaining("got " + algorithm);
    assertThat(searched.params()).isEqualTo(before);
    searched.output(DATA.getFeatures());
    MultiLayerNetwork listed =
        Networks.layers(
            Networks.general(DataType.FLOAT, new Nesterovs(0.1)).optimizationAlgo(algorithm),
            Networks.head(),
            IMAGE);
    assertThatThrownBy(() -> listed.fit(DATA)).hasMessageContaining("got " + algorithm);
  }
}
