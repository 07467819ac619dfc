/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static io.github.spd4j.testing.Tolerances.ON_MANIFOLD_FLOAT;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.engine.Seeds;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.train.TinyTask.Counting;
import io.github.spd4j.train.TinyTask.Told;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.Guard;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Plateau;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.LoggingProgress;
import io.github.spd4j.train.progress.LossAndAccuracy;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.IUpdater;

/** Both stages on a small task. */
class TwoStageTrainerTest {

  @Test
  void learnsInBothStages() {
    ComputationGraph net = TinyTask.net();
    INDArray backbone = net.getParam("conv_W").dup();
    Told told = new Told();
    // Keep.LAST: what the second stage learns must show in the weights.
    TrainingPlan plan =
        TinyTask.plan(8, 3)
            .rate(Stage.HEAD, LayerGroup.CLASSIFIER, 0.05)
            .keep(KeptWeights.LAST)
            .build();
    TrainingResult result =
        TinyTask.trainer(net, plan).training(TinyTask.images(1, 48)).progress(told).build().train();

    List<EpochRecord> head = result.history(Stage.HEAD);
    List<EpochRecord> whole = result.history(Stage.WHOLE);
    assertThat(head).hasSize(8);
    assertThat(whole).hasSize(3);
    assertThat(head.get(7).trainingLoss()).isLessThan(head.get(0).trainingLoss());
    assertThat(whole.get(2).trainingLoss()).isLessThan(head.get(7).trainingLoss());
    assertThat(result.bestAccuracy()).isGreaterThan(0.8);
    assertThat(net.getParam("conv_W")).isNotEqualTo(backbone);
    assertThat(told.stages).containsExactly(Stage.HEAD, Stage.WHOLE);
    assertThat(told.epochs).hasSize(11);
    assertThat(told.images).isEqualTo(48);
    assertThat(result.resumed()).isFalse();
    assertThat(result.historyJson()).contains("\"validationAccuracy\"");
  }

  @Test
  void stageOneChangesNothingBeforeTheCut() {
    ComputationGraph net = TinyTask.net();
    INDArray weights = net.getParam("conv_W").dup();
    INDArray biases = net.getParam("conv_b").dup();
    INDArray w = net.getParam("layer2_W").dup();
    INDArray convolution = net.getParam("layer0_W").dup();
    TinyTask.trainer(net, TinyTask.plan(2, 0).build()).build().train();
    assertThat(net.getParam("conv_W")).isEqualTo(weights);
    assertThat(net.getParam("conv_b")).isEqualTo(biases);
    assertThat(net.getParam("layer2_W")).isNotEqualTo(w);
    assertThat(net.getParam("layer0_W")).isNotEqualTo(convolution);
    assertSmall(Stiefel.distanceFromManifold(net.getParam("layer2_W")), ON_MANIFOLD_FLOAT);
  }

  @Test
  void stageOneReadsEachImageOnce() {
    Counting training = new Counting(TinyTask.images(1, 24));
    Counting validation = new Counting(TinyTask.images(2, 9));
    TinyTask.trainer(TinyTask.net(), TinyTask.plan(3, 0).build())
        .training(training)
        .validation(validation)
        .build()
        .train();
    // The first image is read once more, to see the size.
    assertThat(training.reads).isEqualTo(25);
    assertThat(validation.reads).isEqualTo(10);
  }

  /** The figures of stage one are those of the whole network. */
  @Test
  void theHeadOnFeaturesIsTheWholeNetwork() {
    ComputationGraph net = TinyTask.net(DataType.DOUBLE);
    TrainingPlan plan = TinyTask.plan(2, 0).keep(KeptWeights.LAST).build();
    TrainingResult result = TinyTask.trainer(net, plan).build().train();
    ImageBatches validation = ImageBatches.ofImages(TinyTask.images(2, 12), net, 12);
    int[] all = Seeds.order(12, 0);
    LossAndAccuracy figures = new LossAndAccuracy();
    figures.add(net.output(false, validation.inputs(all, 0))[0], validation.labels(all));
    EpochRecord last = result.history().get(1);
    assertThat(figures.accuracy()).isEqualTo(last.validationAccuracy());
    assertSmall(figures.loss() - last.validationLoss(), 1e-5); // features are float32
  }

  @Test
  void frozenLayersStayFrozen() {
    ComputationGraph net =
        new TransferLearning.GraphBuilder(TinyTask.net())
            .fineTuneConfiguration(new FineTuneConfiguration.Builder().seed(1).build())
            .setFeatureExtractor(TinyTask.CUT)
            .build();
    INDArray backbone = net.getParam("conv_W").dup();
    INDArray w = net.getParam("layer2_W").dup();
    Told told = new Told();
    TrainingPlan plan = TinyTask.plan(1, 1).keep(KeptWeights.LAST).build();
    TinyTask.trainer(net, plan).progress(told).build().train();
    assertThat(net.getParam("conv_W")).isEqualTo(backbone);
    assertThat(net.getParam("layer2_W")).isNotEqualTo(w);
    assertThat(told.messages).containsExactly("Frozen layers, which do not learn: 1");
  }

  @Test
  void keepsTheBestEpoch() {
    ComputationGraph net = TinyTask.net();
    TrainingResult result = TinyTask.trainer(net, TinyTask.plan(3, 1).build()).build().train();
    ImageBatches validation = ImageBatches.ofImages(TinyTask.images(2, 12), net, 12);
    Epoch check = new Epoch(null, net, validation, validation, null);
    assertThat(check.measure().validation().accuracy()).isEqualTo(result.bestAccuracy());
    assertThat(result.best().validationAccuracy()).isEqualTo(result.bestAccuracy());
  }

  /** Stage two unlearns; what stage one had learnt is put back. */
  @Test
  void theBestEpochNeedNotBeTheLast() {
    ComputationGraph net = TinyTask.net();
    TrainingPlan plan =
        TinyTask.plan(8, 6).rates(Stage.WHOLE, 0.03).guard(Guard.standard().withMargin(1)).build();
    TrainingResult result =
        TinyTask.trainer(net, plan).training(new Confusing(TinyTask.images(1, 24))).build().train();
    List<EpochRecord> whole = result.history(Stage.WHOLE);
    assertThat(result.rollbacks()).isEmpty();
    assertThat(whole.get(whole.size() - 1).validationAccuracy())
        .isLessThan(result.bestAccuracy() - 0.2);
    assertThat(accuracy(net)).isEqualTo(result.bestAccuracy());
  }

  private static double accuracy(ComputationGraph net) {
    ImageBatches validation = ImageBatches.ofImages(TinyTask.images(2, 12), net, 12);
    int[] all = Seeds.order(12, 0);
    LossAndAccuracy figures = new LossAndAccuracy();
    figures.add(net.output(false, validation.inputs(all, 0))[0], validation.labels(all));
    return figures.accuracy();
  }

  /** Stage one sees images as they are, stage two sees each in the place of another class's. */
  private static final class Confusing extends Counting {
    Confusing(LabelledImages images) {
      super(images);
    }

    @Override
    public INDArray variant(int index, long seed) {
      return image((index + 1) % size());
    }
  }

  @Test
  void stageTwoThatFallsBelowStageOneGoesBackThere() {
    TrainingPlan plan =
        TinyTask.plan(8, 6)
            .rates(Stage.WHOLE, 0.03)
            .guard(Guard.standard().withMaxRollbacks(0))
            .build();
    ComputationGraph net = TinyTask.net();
    TrainingResult result =
        TinyTask.trainer(net, plan).training(new Confusing(TinyTask.images(1, 24))).build().train();
    assertThat(result.rollbacks()).hasSize(1);
    assertThat(result.rollbacks().get(0).rollbackReason())
        .contains("that of stage one was " + result.bestAccuracy());
    assertThat(result.best().stage()).isEqualTo(Stage.HEAD);
    assertThat(accuracy(net)).isEqualTo(result.bestAccuracy());
  }

  /** An epoch explodes by what the epoch before had, even if its first batch is as bad. */
  @Test
  void theLossOfTheLastEpochIsRemembered() {
    TrainingPlan plan = TinyTask.plan(2, 0).build();
    TrainingState state = new TrainingState(Map.of(), plan);
    LossAndAccuracy good = new LossAndAccuracy();
    good.add(10, 9, 1);
    LossAndAccuracy bad = new LossAndAccuracy();
    bad.add(10, 3, 100);
    assertThat(state.explosion(plan.guard(), bad, 3)).isEmpty(); // nothing to compare with
    LossAndAccuracy none = new LossAndAccuracy();
    state.add(new EpochRecord(Stage.HEAD, 1, good, none, Map.of(), 1, null), TinyTask.net());
    assertThat(state.explosion(plan.guard(), bad, 3)).isPresent();
    assertThat(state.explosion(plan.guard(), good, 3)).isEmpty();
  }

  /** For whoever trains the network further: the rates as they were cut, not those of the plan. */
  @Test
  void theLastRatesStay() {
    ComputationGraph net = TinyTask.net();
    TrainingPlan plan =
        TinyTask.plan(0, 20).rates(Stage.WHOLE, 1e-9).schedule(Plateau.of(0.5, 1, 2)).build();
    TrainingResult result = TinyTask.trainer(net, plan).build().train();
    assertThat(result.history()).hasSize(4); // the first, two cuts, the end
    for (String layer : List.of("conv", "layer0", "layer2", "out")) {
      IUpdater updater = net.getLayer(layer).conf().getLayer().getUpdaterByParam("W");
      assertThat(updater.getLearningRate(0, 0)).isEqualTo(1e-9 / 4);
    }
  }

  @Test
  void ratesAreCutOnAPlateauAndTheStageEnds() {
    Told told = new Told();
    TrainingPlan plan =
        TinyTask.plan(20, 0).rates(Stage.HEAD, 0).schedule(Plateau.of(0.5, 1, 2)).build();
    TrainingResult result = TinyTask.trainer(TinyTask.net(), plan).progress(told).build().train();
    assertThat(result.history()).hasSize(4); // the first, two cuts, the end
    assertThat(told.messages).filteredOn(m -> m.contains("No progress")).hasSize(2);
  }

  @Test
  void theModelInTheFolderIsTheNetwork(@TempDir Path folder) throws Exception {
    ComputationGraph net = TinyTask.net();
    TinyTask.trainer(net, TinyTask.plan(1, 1).build()).folder(folder).build().train();
    ComputationGraph model =
        ModelSerializer.restoreComputationGraph(folder.resolve("model.zip").toFile(), false);
    assertThat(model.params()).isEqualTo(net.params());
  }

  @Test
  void printsNothing() {
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      TinyTask.trainer(TinyTask.net(), TinyTask.plan(1, 1).build())
          .progress(new LoggingProgress())
          .build()
          .train();
    } finally {
      System.setOut(out);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void stageTwoThatFallsIsRolledBackAndGivenUp() {
    ComputationGraph net = TinyTask.net();
    Told told = new Told();
    TrainingPlan plan =
        TinyTask.plan(8, 10)
            .rates(Stage.WHOLE, 3)
            .guard(Guard.standard().withPatience(1).withMaxRollbacks(1).withRateFactor(0.9))
            .build();
    TrainingResult result = TinyTask.trainer(net, plan).progress(told).build().train();
    assertThat(result.rollbacks()).hasSize(2);
    assertThat(result.history(Stage.WHOLE)).hasSize(2);
    assertThat(told.messages)
        .filteredOn(m -> m.contains("is rolled back"))
        .hasSize(2)
        .satisfies(m -> assertThat(m.get(0)).contains("Rates are now multiplied by 0.9"))
        .last()
        .asString()
        .contains("The stage ends here");
    assertThat(result.best().stage()).isEqualTo(Stage.HEAD);
  }

  @Test
  void afterARollbackStageTwoGoesOnWithSmallerRates() {
    TrainingPlan plan =
        TinyTask.plan(8, 3)
            .rates(Stage.WHOLE, 3)
            .guard(Guard.standard().withPatience(1).withRateFactor(1e-4))
            .build();
    TrainingResult result = TinyTask.trainer(TinyTask.net(), plan).build().train();
    List<EpochRecord> whole = result.history(Stage.WHOLE);
    assertThat(whole.get(0).rolledBack()).isTrue();
    assertThat(whole.get(1).rolledBack()).isFalse();
    assertThat(whole.get(1).rates().get(LayerGroup.BACKBONE)).isEqualTo(3 * 1e-4);
    assertThat(whole.get(1).validationAccuracy())
        .isGreaterThanOrEqualTo(result.history(Stage.HEAD).get(7).validationAccuracy() - 0.06);
  }

  /** An image that is broken in one epoch alone, as a fault in reading would make it. */
  @Test
  void anEpochWithNaNIsRolledBack() {
    LabelledImages broken = new BrokenOnce(TinyTask.images(1, 24), 40);
    TrainingResult result =
        TinyTask.trainer(TinyTask.net(), TinyTask.plan(0, 4).build())
            .training(broken)
            .build()
            .train();
    assertThat(result.history()).hasSize(4);
    assertThat(result.rollbacks()).hasSize(1);
    assertThat(result.rollbacks().get(0).epoch()).isEqualTo(2);
    assertThat(result.rollbacks().get(0).rollbackReason()).contains("NaN");
    assertThat(result.history().get(3).trainingLoss()).isFinite();
  }

  @Test
  void imagesThatAreAlwaysNaNAreAnError() {
    LabelledImages images = TinyTask.images(1, 6);
    images.image(0).assign(Float.NaN);
    assertThatThrownBy(
            () ->
                TinyTask.trainer(TinyTask.net(), TinyTask.plan(3, 3).build())
                    .training(images)
                    .build()
                    .train())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("No epoch before it was good either")
        .hasMessageContaining("NaN");
  }

  /** NaN at one of the reads. */
  private static final class BrokenOnce extends Counting {
    private final int when;

    BrokenOnce(LabelledImages images, int when) {
      super(images);
      this.when = when;
    }

    @Override
    public INDArray image(int index) {
      INDArray image = super.image(index);
      return reads == when ? image.dup().assign(Float.NaN) : image;
    }
  }
}
