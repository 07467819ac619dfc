/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static io.github.spd4j.testing.Tolerances.ON_MANIFOLD_FLOAT;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.train.TinyTask.Told;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.updater.StiefelAdam;
import java.nio.file.Path;
import java.util.List;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;

/** The recommended plan: Adam, and a classifier that learns and is fitted in the end. */
@Tag("once")
class LearntThenFittedTest {

  @TempDir Path folder;

  private static TrainingPlan.Builder plan(int headEpochs, int wholeEpochs) {
    return TrainingPlan.recommended().toBuilder()
        .batchSize(8)
        .epochs(Stage.HEAD, headEpochs)
        .epochs(Stage.WHOLE, wholeEpochs);
  }

  private static TwoStageTrainer.Builder unvalidated(ComputationGraph net, TrainingPlan plan) {
    return TwoStageTrainer.builder(net)
        .plan(plan)
        .training(TinyTask.images(1, 24))
        .withoutValidation()
        .progress(new Told());
  }

  @Test
  void eachStageEndsWithAFittedClassifier() {
    ComputationGraph net = TinyTask.net();
    TrainingResult result = TinyTask.trainer(net, plan(2, 1).build()).build().train();
    assertThat(result.history(Stage.HEAD))
        .extracting(EpochRecord::epoch)
        .containsExactly(0, 1, 2, 3);
    assertThat(result.history(Stage.WHOLE)).extracting(EpochRecord::epoch).containsExactly(1, 2);
    assertThat(result.history()).filteredOn(r -> r.rates().isEmpty()).hasSize(3);
    assertThat(result.history().get(1).rates()).containsEntry(LayerGroup.CLASSIFIER, 1e-3);
    assertSmall(Stiefel.distanceFromManifold(net.getParam("layer2_W")), ON_MANIFOLD_FLOAT);
  }

  /** A fitted one makes no mistakes with the training images: nothing would be left to learn. */
  @ParameterizedTest
  @EnumSource(KeptWeights.class)
  void stageTwoGoesOnFromTheLearntClassifier(KeptWeights keep) {
    ComputationGraph net = TinyTask.net();
    INDArray learnt = net.params().dup();
    INDArray start = net.params().dup();
    Told watching =
        new Told() {
          @Override
          public void epochDone(EpochRecord record) {
            super.epochDone(record);
            if (record.stage() == Stage.HEAD && !record.rates().isEmpty()) {
              learnt.assign(net.params());
            }
          }

          @Override
          public void stageStarted(Stage stage, int epochs, int images) {
            super.stageStarted(stage, epochs, images);
            start.assign(net.params());
          }
        };
    // Rates at which the learnt classifier is worse than a fitted one.
    TrainingPlan plan =
        plan(2, 2).rates(Stage.HEAD, 1e-6).rates(Stage.WHOLE, 1e-6).keep(keep).build();
    TrainingResult result = TinyTask.trainer(net, plan).progress(watching).build().train();
    assertThat(result.best().rates()).as("a fit is kept").isEmpty();
    assertThat(start).isEqualTo(learnt);
    assertThat(result.history(Stage.WHOLE).get(0).trainingLoss()).isGreaterThan(0.9);
    assertThat(result.history()).noneMatch(EpochRecord::rolledBack);
  }

  @Test
  void learningBeginsWithoutTheAnswersOfEpochZero() {
    ComputationGraph fromNothing = TinyTask.net();
    TrainingPlan learnt =
        plan(1, 0).classifier(ClassifierTraining.LEARNT).keep(KeptWeights.LAST).build();
    TinyTask.trainer(fromNothing, learnt).build().train();
    ComputationGraph net = TinyTask.net();
    TinyTask.trainer(net, plan(1, 0).keep(KeptWeights.LAST).build()).build().train();
    assertThat(net.getParam("layer2_W")).isEqualTo(fromNothing.getParam("layer2_W"));
    assertThat(net.getParam("out_W")).isNotEqualTo(fromNothing.getParam("out_W"));
  }

  @Test
  void theFittedClassifierStandsOnlyIfItIsBetter() {
    TrainingResult result = TinyTask.trainer(TinyTask.net(), plan(4, 0).build()).build().train();
    double most =
        result.history().stream().mapToDouble(EpochRecord::validationAccuracy).max().orElseThrow();
    assertThat(result.bestAccuracy()).isEqualTo(most);
  }

  @Test
  void withoutValidationTheFittedClassifierIsTheLastWord() {
    ComputationGraph net = TinyTask.net();
    TrainingResult result = unvalidated(net, plan(2, 0).build()).build().train();
    assertThat(result.history()).extracting(EpochRecord::epoch).containsExactly(1, 2, 3);
    assertThat(result.best().epoch()).isEqualTo(3);
    ComputationGraph learnt = TinyTask.net();
    unvalidated(learnt, plan(2, 0).classifier(ClassifierTraining.LEARNT).build()).build().train();
    assertThat(net.getParam("out_W")).isNotEqualTo(learnt.getParam("out_W"));
  }

  @Test
  void withoutEpochsTheClassifierIsFittedAllTheSame() {
    ComputationGraph net = TinyTask.net();
    INDArray before = net.getParam("out_W").dup();
    TrainingResult result = unvalidated(net, plan(0, 0).build()).build().train();
    assertThat(result.history()).extracting(EpochRecord::epoch).containsExactly(0);
    assertThat(net.getParam("out_W")).isNotEqualTo(before);
  }

  @Test
  void everyLayerLearnsByAdam() {
    ComputationGraph net = TinyTask.net();
    TinyTask.trainer(net, plan(1, 1).momentum(0.8).build()).build().train();
    Adam adam = (Adam) net.getLayer("out").conf().getLayer().getUpdaterByParam("W");
    assertThat(adam.getBeta1()).isEqualTo(0.8);
    StiefelAdam onManifold =
        (StiefelAdam) net.getLayer("layer2").conf().getLayer().getUpdaterByParam("W");
    assertThat(onManifold.getBeta1()).isEqualTo(0.8);
    assertThat(onManifold.getLearningRate(0, 0)).isEqualTo(3e-4);
  }

  @Test
  void anInterruptedTrainingEndsWithTheSameWeights() {
    TrainingPlan plan = plan(2, 1).keep(KeptWeights.LAST).build();
    ComputationGraph whole = TinyTask.net();
    TinyTask.trainer(whole, plan).build().train();
    for (int last : List.of(1, 3, 4)) { // also while a fitted classifier is told about
      Path place = folder.resolve("after" + last);
      Told interrupting =
          new Told() {
            @Override
            public void epochDone(EpochRecord record) {
              super.epochDone(record);
              if (epochs.size() == last) {
                throw new IllegalStateException("interrupted");
              }
            }
          };
      TwoStageTrainer broken =
          TinyTask.trainer(TinyTask.net(), plan).folder(place).progress(interrupting).build();
      assertThatThrownBy(broken::train).hasMessage("interrupted");
      ComputationGraph resumed = TinyTask.net();
      Nd4j.getRandom().setSeed(System.nanoTime());
      TrainingResult result = TinyTask.trainer(resumed, plan).folder(place).build().train();
      assertThat(resumed.params()).isEqualTo(whole.params());
      assertThat(result.history()).hasSize(6);
    }
  }
}
