/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.manifold.StiefelMetric;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.Tolerances;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.AMSGrad;
import org.nd4j.linalg.learning.config.AdaGrad;
import org.nd4j.linalg.learning.config.AdaMax;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nadam;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.RmsProp;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.schedule.ISchedule;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.StepSchedule;

/** What DL4J does to learning rates and updaters of a network reaches W and a learnt bandwidth. */
class LearningRateTest {

  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);
  private static final DataSet DATA = Networks.images(DataType.DOUBLE, 1, 6, 2, 6, 6);

  /** 0.1 in the first iteration, then 0. */
  private static final ISchedule ONE_STEP = new StepSchedule(ScheduleType.ITERATION, 0.1, 0, 1);

  private static final List<String> GRAPH = List.of("conv_W", "layer0_logBandwidth", "layer1_W");
  private static final List<String> LAYERS = List.of("0_W", "1_logBandwidth", "2_W");

  private static List<Layer> head() {
    RbfKernel learnt = new RbfKernel(Bandwidth.meanDistance().learnt());
    return List.of(
        new KernelAggregationLayer.Builder().kernel(learnt).build(),
        new SpdTransformLayer.Builder().nOut(3).build(),
        new SpdVectorizationLayer.Builder().scale(10).build());
  }

  private static ComputationGraph graph(IUpdater updater) {
    return Networks.convolutional(Networks.general(DataType.DOUBLE, updater), head(), IMAGE);
  }

  private static MultiLayerNetwork layers(IUpdater updater) {
    return Networks.layers(Networks.general(DataType.DOUBLE, updater), head(), IMAGE);
  }

  static Stream<IUpdater> updaters() {
    return Stream.of(new Sgd(0.1), new Nesterovs(0.1, 0.9), new Adam(0.01), new RmsProp(0.01));
  }

  /** How far each parameter moves in three steps. */
  private static Map<String, Double> moves(Model net, List<String> names) {
    Map<String, INDArray> before = new LinkedHashMap<>();
    names.forEach(name -> before.put(name, net.getParam(name).dup()));
    for (int i = 0; i < 3; i++) {
      fit(net);
    }
    Map<String, Double> moves = new LinkedHashMap<>();
    before.forEach((name, start) -> moves.put(name, start.distance2(net.getParam(name))));
    return moves;
  }

  private static void fit(Model net) {
    if (net instanceof ComputationGraph) {
      ((ComputationGraph) net).fit(DATA);
    } else {
      ((MultiLayerNetwork) net).fit(DATA);
    }
  }

  private static void assertAllMove(Model net, List<String> names) {
    assertThat(moves(net, names)).allSatisfy((name, moved) -> assertThat(moved).isPositive());
  }

  private static void assertNoneMoves(Model net, List<String> names) {
    double rounding = Tolerances.rounding(net.params().dataType());
    assertThat(moves(net, names)).allSatisfy((name, moved) -> assertSmall(moved, rounding));
  }

  /**
   * What must stand still at a rate of 0: with Sgd everything. With ND4J's other updaters what they
   * remember goes on moving what is not on the manifold.
   */
  private static List<String> still(IUpdater updater, List<String> names) {
    return updater instanceof Sgd ? names : names.subList(2, 3);
  }

  @ParameterizedTest
  @MethodSource("updaters")
  void ofAWholeGraph(IUpdater updater) {
    ComputationGraph net = graph(updater);
    assertAllMove(net, GRAPH);
    net.setLearningRate(0);
    assertNoneMoves(net, still(updater, GRAPH));
    net.setLearningRate(0.05);
    assertAllMove(net, GRAPH);
    for (String layer : List.of("conv", "layer0", "layer1", "out")) {
      assertThat(net.getLearningRate(layer)).as(layer).isEqualTo(0.05);
    }
    assertSmall(Stiefel.distanceFromManifold(net.getParam("layer1_W")), onManifold(net));
  }

  @ParameterizedTest
  @MethodSource("updaters")
  void ofAWholeNetworkOfLayers(IUpdater updater) {
    MultiLayerNetwork net = layers(updater);
    assertAllMove(net, LAYERS);
    net.setLearningRate(0);
    assertNoneMoves(net, still(updater, LAYERS));
    net.setLearningRate(0.05);
    assertAllMove(net, LAYERS);
    for (int layer : new int[] {0, 1, 2, 4}) {
      assertThat(net.getLearningRate(layer)).as("layer %s", layer).isEqualTo(0.05);
    }
    assertSmall(Stiefel.distanceFromManifold(net.getParam("2_W")), onManifold(net));
  }

  private static double onManifold(Model net) {
    return Tolerances.onManifold(net.params().dataType());
  }

  @ParameterizedTest
  @MethodSource("updaters")
  void ofOneLayer(IUpdater updater) {
    ComputationGraph graph = graph(updater);
    graph.setLearningRate("layer1", 0);
    assertThat(graph.getLearningRate("layer1")).isZero();
    assertNoneMoves(graph, List.of("layer1_W"));
    assertAllMove(graph, List.of("conv_W", "layer0_logBandwidth"));
    MultiLayerNetwork layers = layers(updater);
    layers.setLearningRate(2, 0);
    assertThat(layers.getLearningRate(2)).isZero();
    assertNoneMoves(layers, List.of("2_W"));
    assertAllMove(layers, List.of("0_W", "1_logBandwidth"));
  }

  @ParameterizedTest
  @MethodSource("updaters")
  void byASchedule(IUpdater updater) {
    ComputationGraph graph = graph(updater);
    graph.setLearningRate(ONE_STEP);
    assertThat(graph.getLearningRate("layer1")).isEqualTo(0.1);
    fit(graph);
    assertThat(graph.getLearningRate("layer1")).isZero();
    assertNoneMoves(graph, still(updater, GRAPH));
    MultiLayerNetwork layers = layers(updater);
    layers.setLearningRate(2, ONE_STEP);
    fit(layers);
    assertNoneMoves(layers, List.of("2_W"));
    assertAllMove(layers, List.of("0_W", "1_logBandwidth"));
  }

  static Stream<IUpdater> scheduled() {
    return Stream.of(
        new Sgd(ONE_STEP),
        new Nesterovs(ONE_STEP, 0.9),
        new Adam(ONE_STEP),
        new RmsProp(ONE_STEP),
        new AdaMax(ONE_STEP),
        new AMSGrad(ONE_STEP),
        new Nadam(ONE_STEP));
  }

  /** Whatever the network's updater, its schedule is W's. */
  @ParameterizedTest
  @MethodSource("scheduled")
  void byTheScheduleOfTheNetwork(IUpdater updater) {
    ComputationGraph graph = graph(updater);
    INDArray start = graph.getParam("layer1_W").dup();
    fit(graph);
    assertThat(graph.getParam("layer1_W").distance2(start)).isGreaterThan(1e-3);
    assertNoneMoves(graph, still(updater, GRAPH));
    MultiLayerNetwork layers = layers(updater);
    fit(layers);
    assertNoneMoves(layers, still(updater, LAYERS));
  }

  /** A copy of ND4J's AdaGrad has no schedule, and DL4J makes one for each layer. */
  @Test
  void refusesAScheduleThatDl4jLoses() {
    assertThatThrownBy(() -> graph(new AdaGrad(ONE_STEP)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("AdaGrad")
        .hasMessageContaining("expected a learning rate, got NaN")
        .hasMessageContaining("Set an updater on the layer");
  }

  @Test
  void ofACloneIsItsOwn() {
    ComputationGraph graph = graph(new Sgd(0.1));
    graph.clone().setLearningRate("layer1", 0);
    assertAllMove(graph, List.of("layer1_W"));
    MultiLayerNetwork layers = layers(new Sgd(0.1));
    layers.clone().setLearningRate(2, 0);
    assertAllMove(layers, List.of("2_W"));
  }

  /** What an updater remembers survives a change of the rate. */
  @ParameterizedTest
  @MethodSource("updaters")
  void keepsTheMemory(IUpdater updater) {
    ComputationGraph changed = graph(updater);
    ComputationGraph other = graph(updater);
    fit(changed);
    fit(other);
    double rate = updater.getLearningRate(0, 0);
    changed.setLearningRate(rate / 2);
    changed.setLearningRate(rate);
    fit(changed);
    fit(other);
    assertClose(changed.params(), other.params(), ROUNDING);
  }

  /** The network that comes out of it is FLOAT. */
  private static FineTuneConfiguration fineTune(IUpdater updater) {
    return new FineTuneConfiguration.Builder().updater(updater).build();
  }

  @ParameterizedTest
  @MethodSource("updaters")
  void ofFineTuning(IUpdater updater) {
    ComputationGraph graph =
        new TransferLearning.GraphBuilder(graph(updater))
            .fineTuneConfiguration(fineTune(new Sgd(0)))
            .build();
    assertThat(graph.getLearningRate("layer1")).isZero();
    assertNoneMoves(graph, GRAPH);
    MultiLayerNetwork layers =
        new TransferLearning.Builder(layers(updater))
            .fineTuneConfiguration(fineTune(new Sgd(0)))
            .build();
    assertThat(layers.getLearningRate(2)).isZero();
    assertNoneMoves(layers, LAYERS);
  }

  @Test
  void fineTuningTakesTheCounterpartOfItsUpdater() {
    ComputationGraph graph = graph(new Sgd(0.1));
    for (IUpdater updater : List.of(new Nesterovs(0.3, 0.8), new Adam(0.02), new Sgd(ONE_STEP))) {
      ComputationGraph tuned =
          new TransferLearning.GraphBuilder(graph).fineTuneConfiguration(fineTune(updater)).build();
      assertThat(tuned.getLayer("layer1").conf().getLayer().getUpdaterByParam("W"))
          .isEqualTo(StiefelUpdaters.counterpartOf(updater));
      assertThat(tuned.getLayer("layer0").conf().getLayer().getUpdaterByParam("logBandwidth"))
          .isEqualTo(updater);
      assertClose(tuned.getParam("layer1_W"), graph.getParam("layer1_W"), FLOAT_ROUNDING);
    }
  }

  @Test
  void fineTuningKeepsMetricAndRetraction() {
    StiefelSgd chosen =
        StiefelSgd.builder().metric(StiefelMetric.EUCLIDEAN).retraction(Retraction.POLAR).build();
    ComputationGraph graph =
        Networks.convolutional(
            Networks.general(DataType.DOUBLE, new Sgd(0.1)),
            List.of(
                new KernelAggregationLayer.Builder().build(),
                new SpdTransformLayer.Builder().nOut(3).updater(chosen).build(),
                new SpdVectorizationLayer.Builder().build()),
            IMAGE);
    ComputationGraph tuned =
        new TransferLearning.GraphBuilder(graph)
            .fineTuneConfiguration(fineTune(new Adam(0.02)))
            .build();
    assertThat(tuned.getLayer("layer1").conf().getLayer().getUpdaterByParam("W"))
        .isEqualTo(
            StiefelAdam.builder()
                .learningRate(0.02)
                .metric(StiefelMetric.EUCLIDEAN)
                .retraction(Retraction.POLAR)
                .build());
  }
}
