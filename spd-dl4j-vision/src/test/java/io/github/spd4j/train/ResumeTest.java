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
import io.github.spd4j.train.plan.Guard;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.Optimizer;
import io.github.spd4j.train.plan.Plateau;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipFile;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** A training that is interrupted ends with the same weights as one that is not. */
class ResumeTest {

  private static final TrainingPlan PLAN = TinyTask.plan(3, 2).keep(KeptWeights.LAST).build();

  @TempDir Path folder;

  /** Breaks off in a certain epoch, at a batch or at its end. */
  private static final class Interrupting extends Told {
    private final int epochsBefore;
    private final boolean atTheEnd;

    Interrupting(int epochsBefore, boolean atTheEnd) {
      this.epochsBefore = epochsBefore;
      this.atTheEnd = atTheEnd;
    }

    @Override
    public void batchDone(int done, double loss, double accuracy) {
      if (epochs.size() == epochsBefore && !atTheEnd && done > 10) {
        throw new Interruption();
      }
    }

    @Override
    public void epochDone(EpochRecord record) {
      super.epochDone(record);
      if (epochs.size() > epochsBefore && atTheEnd) {
        throw new Interruption();
      }
    }
  }

  private static final class Interruption extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private INDArray uninterrupted(TrainingPlan plan) {
    ComputationGraph net = TinyTask.net();
    TinyTask.trainer(net, plan).build().train();
    return net.params().dup();
  }

  private TrainingResult resume(ComputationGraph net, TrainingPlan plan) {
    Nd4j.getRandom().setSeed(System.nanoTime()); // nothing may depend on what was drawn before
    return TinyTask.trainer(net, plan).folder(folder).build().train();
  }

  private void interrupt(TrainingPlan plan, int epochs, boolean atTheEnd) {
    assertThatThrownBy(
            () ->
                TinyTask.trainer(TinyTask.net(), plan)
                    .folder(folder)
                    .progress(new Interrupting(epochs, atTheEnd))
                    .build()
                    .train())
        .isInstanceOf(Interruption.class);
  }

  /** Interrupted four times: within and after epochs of both stages, the last of a stage too. */
  @Test
  void endsWithTheSameWeights() {
    interrupt(PLAN, 1, false);
    interrupt(PLAN, 0, true); // the second epoch
    interrupt(PLAN, 0, true); // the last epoch of stage one
    interrupt(PLAN, 1, false); // the second epoch of stage two
    ComputationGraph net = TinyTask.net();
    TrainingResult result = resume(net, PLAN);
    assertThat(result.resumed()).isTrue();
    assertThat(result.history()).hasSize(5);
    assertThat(net.params()).isEqualTo(uninterrupted(PLAN));
  }

  /** What images that were held out have not told yet is no answer, nor is it after a pause. */
  @Test
  void alsoWithoutValidation() {
    TrainingPlan plan = PLAN.toBuilder().classifier(ClassifierTraining.LEARNT_THEN_FITTED).build();
    ComputationGraph whole = TinyTask.net();
    unvalidated(whole, plan, new Told()).build().train();
    assertThatThrownBy(
            () ->
                unvalidated(TinyTask.net(), plan, new Interrupting(1, true))
                    .folder(folder)
                    .build()
                    .train())
        .isInstanceOf(Interruption.class);
    ComputationGraph net = TinyTask.net();
    TrainingResult result = unvalidated(net, plan, new Told()).folder(folder).build().train();
    assertThat(result.resumed()).isTrue();
    assertThat(net.params()).isEqualTo(whole.params());
  }

  private static TwoStageTrainer.Builder unvalidated(
      ComputationGraph net, TrainingPlan plan, Told told) {
    return TwoStageTrainer.builder(net)
        .plan(plan)
        .training(TinyTask.images(1, 24))
        .withoutValidation()
        .progress(told);
  }

  /** Whoever trains the model further has the updaters, the L2 and the counts of the training. */
  @Test
  void aTrainingThatIsOverLeavesTheSameConfiguration() throws IOException {
    resume(TinyTask.net(), PLAN);
    String first = configuration();
    assertThat(first).containsPattern("(?m)^  \"iterationCount\" : [1-9]");
    Files.delete(folder.resolve(TwoStageTrainer.MODEL));
    resume(TinyTask.net(), PLAN);
    assertThat(configuration()).isEqualTo(first);
  }

  private String configuration() throws IOException {
    try (ZipFile zip = new ZipFile(folder.resolve(TwoStageTrainer.MODEL).toFile())) {
      return new String(
          zip.getInputStream(zip.getEntry("configuration.json")).readAllBytes(),
          StandardCharsets.UTF_8);
    }
  }

  @Test
  void aStageThatGoesOnSaysHowManyEpochsItHad() {
    interrupt(PLAN, 2, false); // the third epoch of stage one
    TinyTask.Told told = new TinyTask.Told();
    TinyTask.trainer(TinyTask.net(), PLAN).folder(folder).progress(told).build().train();
    assertThat(told.stages).containsExactly(Stage.HEAD, Stage.WHOLE);
    assertThat(told.epochsBefore).containsExactly(2);
  }

  /** With rollbacks, cuts of the rate, and the best weights kept. */
  @Test
  void alsoWithRollbacksAndCuts() {
    TrainingPlan plan =
        TinyTask.plan(4, 4)
            .rates(Stage.WHOLE, 3)
            .schedule(Plateau.of(0.5, 1, 5))
            .guard(Guard.standard().withPatience(1).withRateFactor(0.02).withMargin(0))
            .build();
    interrupt(plan, 2, true);
    interrupt(plan, 1, true); // after the first epoch of stage two, which is rolled back
    interrupt(plan, 1, false);
    ComputationGraph net = TinyTask.net();
    TrainingResult result = resume(net, plan);
    assertThat(result.rollbacks()).isNotEmpty();
    assertThat(net.params()).isEqualTo(uninterrupted(plan));
  }

  /** Adam's step depends on DL4J's count of iterations, which has to go on within a stage. */
  @Test
  void alsoWithAdamInMidStage() {
    TrainingPlan plan =
        TinyTask.plan(3, 3)
            .optimizer(Optimizer.ADAM)
            .rates(Stage.HEAD, 1e-3)
            .rates(Stage.WHOLE, 1e-4)
            .keep(KeptWeights.LAST)
            .build();
    interrupt(plan, 0, true); // the first epoch of stage one
    interrupt(plan, 2, true); // the first epoch of stage two
    ComputationGraph net = TinyTask.net();
    resume(net, plan);
    assertThat(net.params()).isEqualTo(uninterrupted(plan));
    assertThat(net.getIterationCount()).isEqualTo(9); // of stage two
  }

  /** The rate that the classifier's inputs bear, and how far the fall of the rates has come. */
  @Test
  void alsoWithTheRecommendedPlan() {
    TrainingPlan plan =
        TrainingPlan.recommended().toBuilder()
            .batchSize(8)
            .epochs(Stage.HEAD, 6)
            .epochs(Stage.WHOLE, 3)
            .rates(Stage.HEAD, 0.02)
            .keep(KeptWeights.LAST)
            .build();
    interrupt(plan, 1, false); // after the comparison
    interrupt(plan, 2, true);
    interrupt(plan, 0, true); // in the fall
    interrupt(plan, 1, false);
    ComputationGraph net = TinyTask.net();
    assertThat(resume(net, plan).resumed()).isTrue();
    assertThat(net.params()).isEqualTo(uninterrupted(plan));
  }

  @Test
  void aTrainingThatIsOverIsNotRepeated() {
    ComputationGraph first = TinyTask.net();
    TinyTask.trainer(first, PLAN).folder(folder).build().train();
    ComputationGraph second = TinyTask.net();
    Told told = new Told();
    TrainingResult result =
        TinyTask.trainer(second, PLAN).folder(folder).progress(told).build().train();
    assertThat(second.params()).isEqualTo(first.params());
    assertThat(told.epochs).isEmpty();
    assertThat(result.history()).hasSize(5);
  }

  /** Every checkpoint is a model file of DL4J, and has its W on the manifold. */
  @Test
  void everyCheckpointIsAModel() {
    Told checking =
        new Told() {
          @Override
          public void epochDone(EpochRecord record) {
            super.epochDone(record);
            ComputationGraph saved = restore();
            for (String w : new String[] {"layer2_W", "layer3_W"}) {
              assertSmall(Stiefel.distanceFromManifold(saved.getParam(w)), ON_MANIFOLD_FLOAT);
            }
          }
        };
    TinyTask.trainer(TinyTask.net(), PLAN).folder(folder).progress(checking).build().train();
    assertThat(checking.epochs).hasSize(5);
  }

  private ComputationGraph restore() {
    try {
      return ModelSerializer.restoreComputationGraph(
          folder.resolve(TwoStageTrainer.CHECKPOINT).toFile(), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aCheckpointOfAnotherTrainingIsRefused() {
    interrupt(PLAN, 0, true);
    TrainingPlan other = PLAN.toBuilder().batchSize(7).build();
    assertThatThrownBy(() -> resume(TinyTask.net(), other))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("checkpoint.zip is a checkpoint of another training")
        .hasMessageContaining("batchSize = 8, expected 7");
  }

  @Test
  void aDamagedCheckpointIsNamed() throws IOException {
    Files.writeString(folder.resolve(TwoStageTrainer.CHECKPOINT), "no zip");
    assertThatThrownBy(() -> resume(TinyTask.net(), PLAN))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("checkpoint.zip; delete it to begin anew");
  }

  /** What a crash leaves of a checkpoint that was being written does no harm. */
  @Test
  void aTemporaryFileIsNoCheckpoint() throws IOException {
    interrupt(PLAN, 0, true);
    Path temporary = folder.resolve(TwoStageTrainer.CHECKPOINT + ".tmp");
    Files.writeString(temporary, "half");
    ComputationGraph net = TinyTask.net();
    assertThat(resume(net, PLAN).resumed()).isTrue();
    assertThat(temporary).as("a folder without our mark is somebody's").hasContent("half");
  }
}
