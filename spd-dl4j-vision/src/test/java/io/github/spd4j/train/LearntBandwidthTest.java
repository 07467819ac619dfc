/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.engine.BackboneAndHead;
import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.train.TinyTask.Told;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.Nesterovs;

/** A bandwidth that is learnt in two stages, with rates, updaters, penalties and checkpoints. */
class LearntBandwidthTest {

  private static final String LAYER = "layer1";
  private static final String THETA = "layer1_logBandwidth";

  private ComputationGraph net;
  private Set<String> head;

  @BeforeEach
  void network() {
    net = learnt();
    head = new BackboneAndHead(net).headVertices();
  }

  private static ComputationGraph learnt() {
    return TinyTask.net(DataType.FLOAT, Bandwidth.meanDistance().times(0.5).learnt());
  }

  private static double theta(ComputationGraph net) {
    return net.getParam(THETA).getDouble(0);
  }

  @Test
  void itMovesAndTheLossFalls() {
    assertThat(theta(net)).isZero();
    Told told = new Told();
    TinyTask.trainer(net, TinyTask.plan(3, 2).keep(KeptWeights.LAST).build())
        .progress(told)
        .build()
        .train();
    assertThat(Math.abs(theta(net))).isGreaterThan(1e-3).isLessThan(5);
    assertThat(told.epochs.get(4).trainingLoss()).isLessThan(told.epochs.get(0).trainingLoss());
  }

  @Test
  void itHasTheRateOfTheRest() {
    TrainingPlan plan = TinyTask.plan(1, 1).rate(Stage.HEAD, LayerGroup.REST, 0.25).build();
    Map<LayerGroup, Double> rates =
        new Updaters(net, head, plan, Stage.HEAD, Double.NaN, false).setRates(0.5);
    assertThat(rates).containsEntry(LayerGroup.REST, 0.125);
    assertThat(net.getLayer(LAYER).conf().getLayer().getUpdaterByParam("logBandwidth"))
        .isEqualTo(new Nesterovs(0.125, 0.9));
  }

  @Test
  void itsOwnUpdaterCanBeKept() {
    ((BaseLayer) net.getLayer(LAYER).conf().getLayer()).setIUpdater(new Adam(7));
    TrainingPlan plan =
        TinyTask.plan(1, 1).keepUpdaters(true).rate(Stage.HEAD, LayerGroup.REST, 0.25).build();
    new Updaters(net, head, plan, Stage.HEAD, Double.NaN, false);
    assertThat(net.getLayer(LAYER).conf().getLayer().getUpdaterByParam("logBandwidth"))
        .isEqualTo(new Adam(0.25));
  }

  /** Whatever the penalty, a step from the same place ends at the same θ. */
  @Test
  void penaltiesDoNotTouchIt() {
    assertThat(afterAStep(0)).isNotEqualTo(2).isEqualTo(afterAStep(10));
  }

  private double afterAStep(double weightDecay) {
    ComputationGraph net = learnt();
    net.getParam(THETA).assign(2);
    TrainingPlan plan = TinyTask.plan(1, 1).weightDecay(weightDecay).build();
    new Updaters(net, head, plan, Stage.WHOLE, Double.NaN, false);
    ImageBatches images = ImageBatches.ofImages(TinyTask.images(1, 6), net, 12);
    int[] all = {0, 1, 2, 3, 4, 5};
    Nd4j.getRandom().setSeed(1); // the network has dropout
    net.fit(new INDArray[] {images.inputs(all, 0)}, new INDArray[] {images.oneHot(all)});
    return theta(net);
  }

  @Test
  void aFrozenOneStays() {
    net.getParam(THETA).assign(0.2);
    ComputationGraph frozen =
        new TransferLearning.GraphBuilder(net).setFeatureExtractor(LAYER).build();
    double before = theta(frozen);
    assertThat(before).isEqualTo(theta(net));
    INDArray w = frozen.getParam("layer2_W").dup();
    ImageBatches images = ImageBatches.ofImages(TinyTask.images(1, 6), frozen, 12);
    int[] all = {0, 1, 2, 3, 4, 5};
    for (int i = 0; i < 3; i++) {
      frozen.fit(new INDArray[] {images.inputs(all, 0)}, new INDArray[] {images.oneHot(all)});
    }
    assertThat(theta(frozen)).isEqualTo(before);
    assertThat(frozen.getParam("layer2_W")).isNotEqualTo(w);
  }

  @Test
  void aTrainingThatIsInterruptedEndsTheSame(@TempDir Path folder) {
    TrainingPlan plan = TinyTask.plan(2, 1).keep(KeptWeights.LAST).build();
    TinyTask.trainer(net, plan).build().train();
    Told interrupting =
        new Told() {
          @Override
          public void epochDone(EpochRecord record) {
            throw new UnsupportedOperationException("enough");
          }
        };
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(
              () ->
                  TinyTask.trainer(learnt(), plan)
                      .folder(folder)
                      .progress(interrupting)
                      .build()
                      .train())
          .hasMessage("enough");
    }
    ComputationGraph resumed = learnt();
    TrainingResult result = TinyTask.trainer(resumed, plan).folder(folder).build().train();
    assertThat(result.resumed()).isTrue();
    assertThat(theta(resumed)).isNotZero().isEqualTo(theta(net));
    assertThat(resumed.params()).isEqualTo(net.params());
  }
}
