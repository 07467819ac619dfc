/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.internal.engine.BackboneAndHead;
import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.StiefelMetric;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.updater.StiefelSgd;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LocallyConnected2D;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.learning.regularization.L2Regularization;

/** Updaters and rates by part, and that a change of rates takes effect. */
class UpdatersTest {

  private static final TrainingPlan PLAN =
      TrainingPlan.fitted().toBuilder()
          .rates(Stage.WHOLE, 0.02)
          .rate(Stage.WHOLE, LayerGroup.TRANSFORM, 0.05)
          .build();

  private ComputationGraph net;
  private Set<String> head;

  @BeforeEach
  void network() {
    net = TinyTask.net();
    head = new BackboneAndHead(net).headVertices();
  }

  private static void step(ComputationGraph net) {
    ImageBatches images = ImageBatches.ofImages(TinyTask.images(1, 6), net, 12);
    int[] all = {0, 1, 2, 3, 4, 5};
    Nd4j.getRandom().setSeed(1); // the network has dropout
    net.fit(new INDArray[] {images.inputs(all, 0)}, new INDArray[] {images.oneHot(all)});
  }

  private static IUpdater of(ComputationGraph net, String layer, String parameter) {
    return net.getLayer(layer).conf().getLayer().getUpdaterByParam(parameter);
  }

  @Test
  void everyPartHasItsRate() {
    TrainingPlan plan =
        TrainingPlan.paper().toBuilder()
            .rate(Stage.WHOLE, LayerGroup.CLASSIFIER, 1)
            .rate(Stage.WHOLE, LayerGroup.TRANSFORM, 2)
            .rate(Stage.WHOLE, LayerGroup.CONVOLUTION, 3)
            .rate(Stage.WHOLE, LayerGroup.BACKBONE, 4)
            .build();
    Map<LayerGroup, Double> rates =
        new Updaters(net, head, plan, Stage.WHOLE, Double.NaN, false).setRates(0.5);
    assertThat(rates)
        .containsOnly(
            Map.entry(LayerGroup.CLASSIFIER, 0.5),
            Map.entry(LayerGroup.TRANSFORM, 1.0),
            Map.entry(LayerGroup.CONVOLUTION, 1.5),
            Map.entry(LayerGroup.BACKBONE, 2.0));
    assertThat(of(net, "out", "W")).isEqualTo(new Nesterovs(0.5, 0.9));
    assertThat(of(net, "out", "b")).isEqualTo(new Nesterovs(0.5, 0.9));
    assertThat(of(net, "layer0", "W")).isEqualTo(new Nesterovs(1.5, 0.9));
    assertThat(of(net, "layer2", "W")).isEqualTo(new StiefelSgd(1, 0.9));
    assertThat(of(net, "conv", "W")).isEqualTo(new Nesterovs(2, 0.9));
  }

  /** Both W share a block, whose updater is the first layer's. */
  @Test
  void aChangeOfRateReachesEveryW() {
    Updaters updaters = new Updaters(net, head, PLAN, Stage.WHOLE, Double.NaN, false);
    step(net);
    assertThat(net.getUpdater().getUpdaterBlocks())
        .anyMatch(block -> block.getLayersAndVariablesInBlock().size() == 2);
    assertStandsStill(net, updaters);
  }

  @Test
  void alsoInAClone() {
    new Updaters(net, head, PLAN, Stage.WHOLE, Double.NaN, false);
    step(net);
    ComputationGraph clone = net.clone();
    assertStandsStill(clone, new Updaters(clone, head, PLAN, Stage.WHOLE, Double.NaN, false));
    INDArray before = net.params().dup();
    step(net); // the clone has updaters of its own
    assertThat(net.params()).isNotEqualTo(before);
  }

  @Test
  void alsoInARestoredNetwork() throws Exception {
    Updaters updaters = new Updaters(net, head, PLAN, Stage.WHOLE, Double.NaN, false);
    step(net);
    ByteArrayOutputStream zip = new ByteArrayOutputStream();
    ModelSerializer.writeModel(net, zip, true);
    ComputationGraph restored =
        ModelSerializer.restoreComputationGraph(new ByteArrayInputStream(zip.toByteArray()), true);
    Updaters again = new Updaters(restored, head, PLAN, Stage.WHOLE, Double.NaN, false);
    again.restore(updaters.state().dup());
    net.getConfiguration().setIterationCount(1);
    step(net);
    step(restored);
    assertThat(restored.params()).isEqualTo(net.params());
    assertStandsStill(restored, again);
  }

  private static void assertStandsStill(ComputationGraph net, Updaters updaters) {
    updaters.setRates(0);
    updaters.reset(); // momentum of DL4J's updater has the old rate in it
    updaters.setRates(1); // after the blocks were built
    updaters.setRates(0);
    INDArray first = net.getParam("layer2_W").dup();
    INDArray second = net.getParam("layer3_W").dup();
    INDArray convolution = net.getParam("conv_W").dup();
    step(net);
    assertThat(net.getParam("layer2_W").equalsWithEps(first, 1e-6)).isTrue();
    assertThat(net.getParam("layer3_W").equalsWithEps(second, 1e-6)).isTrue();
    assertThat(net.getParam("conv_W")).isEqualTo(convolution);
    updaters.setRates(1);
    step(net);
    assertThat(net.getParam("layer2_W").equalsWithEps(first, 1e-6)).isFalse();
    assertThat(net.getParam("layer3_W").equalsWithEps(second, 1e-6)).isFalse();
    assertThat(net.getParam("conv_W")).isNotEqualTo(convolution);
  }

  @Test
  void metricAndRetractionOfAWAreKept() {
    BaseLayer w = (BaseLayer) net.getLayer("layer2").conf().getLayer();
    w.setIUpdater(
        StiefelSgd.builder().metric(StiefelMetric.EUCLIDEAN).retraction(Retraction.POLAR).build());
    new Updaters(net, head, PLAN, Stage.WHOLE, Double.NaN, false);
    StiefelSgd installed = (StiefelSgd) of(net, "layer2", "W");
    assertThat(installed.getMetric()).isEqualTo(StiefelMetric.EUCLIDEAN);
    assertThat(installed.getRetraction()).isEqualTo(Retraction.POLAR);
    assertThat(installed.getMomentum()).isEqualTo(0.9);
  }

  @Test
  void anUpdaterThatSubtractsTheWholeGradientIsRefused() {
    BaseLayer layer = (BaseLayer) net.getLayer("conv").conf().getLayer();
    layer.setIUpdater(new NoOp());
    for (boolean kept : new boolean[] {false, true}) {
      TrainingPlan plan = PLAN.toBuilder().keepUpdaters(kept).build();
      assertThatThrownBy(() -> new Updaters(net, head, plan, Stage.WHOLE, Double.NaN, false))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("layer 'conv' has the updater NoOp")
          .hasMessageContaining("freeze the layer");
    }
    layer.setIUpdater(new Sgd(1));
    layer.setBiasUpdater(new NoOp());
    TrainingPlan plan = PLAN.toBuilder().keepUpdaters(true).build();
    assertThatThrownBy(() -> new Updaters(net, head, plan, Stage.WHOLE, Double.NaN, false))
        .hasMessageContaining("NoOp");
    new Updaters(
        net, head, PLAN, Stage.WHOLE, Double.NaN, false); // the plan's own updaters for biases, too
  }

  @Test
  void ownUpdatersCanBeKept() {
    ((BaseLayer) net.getLayer("out").conf().getLayer()).setIUpdater(new Adam(7));
    TrainingPlan plan = PLAN.toBuilder().keepUpdaters(true).build();
    new Updaters(net, head, plan, Stage.WHOLE, Double.NaN, false);
    assertThat(of(net, "out", "W")).isEqualTo(new Adam(0.02));
    assertThat(of(net, "layer2", "W")).isEqualTo(new StiefelSgd(0.05, 0.9));
  }

  @Test
  void updatersBeginWithoutAnyState() {
    step(net); // with the network's own updaters, which have momentum from then on
    assertThat(net.getUpdater().getStateViewArray().norm2Number().doubleValue()).isPositive();
    Updaters updaters = new Updaters(net, head, PLAN, Stage.WHOLE, Double.NaN, false);
    assertThat(updaters.state().norm2Number().doubleValue()).isZero();
  }

  @Test
  void weightsDecayButBiasesAndWDoNot() {
    new Updaters(
        net, head, PLAN.toBuilder().weightDecay(0.25).build(), Stage.WHOLE, Double.NaN, false);
    for (String name : List.of("conv", "layer0", "out")) {
      BaseLayer layer = (BaseLayer) net.getLayer(name).conf().getLayer();
      assertThat(layer.getRegularizationByParam("W")).containsExactly(new L2Regularization(0.25));
      assertThat(layer.getRegularizationByParam("b")).isNullOrEmpty();
    }
    assertThat(net.getLayer("layer2").conf().getLayer().getRegularizationByParam("W"))
        .noneMatch(r -> r instanceof L2Regularization);
    new Updaters(
        net, head, PLAN.toBuilder().weightDecay(0).build(), Stage.WHOLE, Double.NaN, false);
    assertThat(net.getLayer("conv").conf().getLayer().getRegularizationByParam("W")).isEmpty();
  }

  @Test
  void layersBySameDiffHaveThePlansUpdaterAndDecay() {
    ComputationGraph local =
        Backbone.of(
                Networks.convolutional(
                    Networks.general(DataType.FLOAT, new Adam(7)).l2(0.5),
                    List.of(new LocallyConnected2D.Builder().kernelSize(1, 1).nOut(2).build()),
                    InputType.convolutional(4, 4, 2)),
                TinyTask.CUT)
            .marked();
    Layer layer = local.getLayer("layer0").conf().getLayer();
    Set<String> after = new BackboneAndHead(local).headVertices();
    TrainingPlan kept = PLAN.toBuilder().keepUpdaters(true).build();
    new Updaters(local, after, kept, Stage.WHOLE, Double.NaN, false);
    assertThat(layer.getUpdaterByParam("W")).isEqualTo(new Adam(0.02));
    assertThat(layer.getRegularizationByParam("W")).containsExactly(new L2Regularization(0.5));
    TrainingPlan plan = PLAN.toBuilder().weightDecay(0.25).build();
    new Updaters(local, after, plan, Stage.WHOLE, Double.NaN, false);
    assertThat(layer.getUpdaterByParam("W")).isEqualTo(new Nesterovs(0.02, 0.9));
    assertThat(layer.getRegularizationByParam("W")).containsExactly(new L2Regularization(0.25));
  }
}
