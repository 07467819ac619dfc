/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static io.github.spd4j.testing.Tolerances.ON_MANIFOLD_FLOAT;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.train.TinyTask.Told;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Plateau;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;

/** Training with a classifier in closed form, and without validation. */
class ClosedFormTest {

  private static final String CLASSIFIER = "out";

  @TempDir Path folder;

  private static boolean isClassifier(String parameter) {
    return parameter.startsWith(CLASSIFIER);
  }

  @Test
  void withoutEpochsOnlyTheClassifierChanges() {
    ComputationGraph net = TinyTask.net();
    Map<String, INDArray> before = net.clone().paramTable();
    TrainingResult result =
        TinyTask.trainer(net, TinyTask.closedForm(0, 0).build()).build().train();
    net.paramTable()
        .forEach(
            (name, now) ->
                assertThat(now.equals(before.get(name))).as(name).isEqualTo(!isClassifier(name)));
    assertThat(result.history()).hasSize(1);
    assertThat(result.history().get(0).epoch()).isZero();
    assertThat(result.bestAccuracy()).isGreaterThan(0.9);
  }

  @Test
  void theRestLearnsToo() {
    ComputationGraph net = TinyTask.net();
    INDArray w = net.getParam("layer2_W").dup();
    TrainingPlan plan = TinyTask.closedForm(3, 2).keep(KeptWeights.LAST).build();
    TrainingResult result = TinyTask.trainer(net, plan).build().train();
    assertThat(result.history(Stage.HEAD)).extracting(EpochRecord::epoch).contains(0, 1, 2, 3);
    assertThat(result.history(Stage.WHOLE)).hasSize(2);
    assertThat(net.getParam("layer2_W")).isNotEqualTo(w);
    assertSmall(Stiefel.distanceFromManifold(net.getParam("layer2_W")), ON_MANIFOLD_FLOAT);
    assertThat(result.history(Stage.WHOLE).get(1).rates())
        .containsEntry(LayerGroup.CLASSIFIER, 0.0);
  }

  @Tag("once")
  @Test
  void anInterruptedTrainingEndsWithTheSameWeights() {
    TrainingPlan plan = TinyTask.closedForm(2, 2).keep(KeptWeights.LAST).build();
    ComputationGraph whole = TinyTask.net();
    TinyTask.trainer(whole, plan).build().train();
    for (int batches : new int[] {2, 3, 8, 10}) {
      Told interrupting =
          new Told() {
            private int left = batches;

            @Override
            public void batchDone(int done, double loss, double accuracy) {
              if (--left == 0) {
                throw new IllegalStateException("interrupted");
              }
            }
          };
      Path place = folder.resolve("after" + batches);
      assertThatThrownBy(
              () ->
                  TinyTask.trainer(TinyTask.net(), plan)
                      .folder(place)
                      .progress(interrupting)
                      .build()
                      .train())
          .hasMessage("interrupted");
      ComputationGraph resumed = TinyTask.net();
      Nd4j.getRandom().setSeed(System.nanoTime());
      TinyTask.trainer(resumed, plan).folder(place).build().train();
      assertThat(resumed.params()).isEqualTo(whole.params());
    }
  }

  @Test
  void tooFewImagesAreLearntByGradientDescent() {
    Told told = new Told();
    TrainingResult result =
        TinyTask.trainer(TinyTask.net(), TinyTask.closedForm(1, 0).build())
            .training(TinyTask.images(1, 4))
            .progress(told)
            .build()
            .train();
    assertThat(result.history()).extracting(EpochRecord::epoch).containsExactly(1);
    assertThat(result.history().get(0).rates()).containsEntry(LayerGroup.CLASSIFIER, 0.1);
    assertThat(told.messages)
        .contains("The classifier learns by gradient descent: there are too few pictures");
  }

  @Test
  void aHeadWithoutParametersNeedsNoEpochs() {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Nesterovs(0.01, 0.9)),
            List.of(
                new ConvolutionLayer.Builder(3, 3).nOut(6).build(),
                new GlobalPoolingLayer(PoolingType.AVG)),
            InputType.convolutional(TinyTask.SIZE, TinyTask.SIZE, TinyTask.CHANNELS));
    TrainingResult result =
        TwoStageTrainer.builder(Backbone.of(net, "layer0").marked())
            .plan(TinyTask.closedForm(5, 0).build())
            .training(TinyTask.images(1, 24))
            .validation(TinyTask.images(2, 12))
            .progress(new Told())
            .build()
            .train();
    assertThat(result.history()).hasSize(1);
  }

  @Test
  void withoutValidationTheLastWeightsAreKeptAndRatesAreCutAsPlanned() {
    Told told = new Told();
    TrainingPlan plan =
        TinyTask.closedForm(5, 0)
            .rates(Stage.HEAD, 1e-5)
            .keep(KeptWeights.BEST)
            .schedule(Plateau.of(0.1, 1, 2))
            .build();
    TrainingResult result =
        TwoStageTrainer.builder(TinyTask.net())
            .plan(plan)
            .training(TinyTask.images(1, 24))
            .withoutValidation()
            .progress(told)
            .build()
            .train();
    List<EpochRecord> epochs = result.history().subList(1, 6);
    assertThat(epochs).allMatch(r -> Double.isNaN(r.validationAccuracy()));
    assertThat(epochs)
        .extracting(r -> r.rates().get(LayerGroup.TRANSFORM))
        .usingElementComparator((a, b) -> Math.abs(a - b) < 1e-13 ? 0 : 1)
        .containsExactly(1e-5, 1e-5, 1e-5, 1e-6, 1e-7);
    assertThat(result.best().epoch()).isEqualTo(5);
    assertThat(told.messages).anyMatch(m -> m.startsWith("As planned"));
  }

  @Test
  void withoutValidationNoPlateauEndsTheStage() {
    TrainingPlan plan =
        TinyTask.closedForm(2, 0).rates(Stage.HEAD, 1e-5).schedule(Plateau.of(0.1, 1, 0)).build();
    TrainingResult result =
        TwoStageTrainer.builder(TinyTask.net())
            .plan(plan)
            .training(TinyTask.images(1, 24))
            .withoutValidation()
            .progress(new Told())
            .build()
            .train();
    assertThat(result.history()).hasSize(3);
  }

  @Test
  void aClassifierThatCannotBeFittedNeedsEpochs() {
    TwoStageTrainer.Builder trainer =
        TinyTask.trainer(TinyTask.net(), TinyTask.closedForm(0, 0).build())
            .training(TinyTask.images(1, 4));
    assertThatThrownBy(trainer::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too few pictures");
  }

  @Test
  void afterwardsTheClassifierCanBeTrainedFurther() {
    ComputationGraph net = TinyTask.net();
    TinyTask.trainer(net, TinyTask.closedForm(0, 1).build()).build().train();
    IUpdater updater = net.getLayer(CLASSIFIER).conf().getLayer().getUpdaterByParam("W");
    assertThat(updater.getLearningRate(0, 0)).isEqualTo(0.01);
  }

  @Test
  void validationIsNotForgottenByAccident() {
    assertThatThrownBy(
            () -> TwoStageTrainer.builder(TinyTask.net()).training(TinyTask.images(1, 24)).build())
        .hasMessage("expected at least one validation image, got none");
  }
}
