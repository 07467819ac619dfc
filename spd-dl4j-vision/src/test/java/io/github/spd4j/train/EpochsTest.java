/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.train.TinyTask.Counting;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.impl.ActivationSigmoid;

/** What is seen of epochs from outside, and what a plan for the classifier comes to. */
class EpochsTest {

  /** Remembers starts and ends of epochs, with DL4J's count. */
  private static final class Heard extends BaseTrainingListener {
    private final List<String> epochs = new ArrayList<>();

    @Override
    public void onEpochStart(Model model) {
      epochs.add("start " + ((ComputationGraph) model).getEpochCount());
    }

    @Override
    public void onEpochEnd(Model model) {
      epochs.add("end " + ((ComputationGraph) model).getEpochCount());
    }
  }

  @Test
  void listenersAreToldOfTheEpochsOfBothStages() {
    ComputationGraph net = TinyTask.net();
    Heard heard = new Heard();
    net.setListeners(heard);
    TinyTask.trainer(net, TinyTask.plan(1, 2).build()).build().train();
    assertThat(heard.epochs)
        .containsExactly("start 0", "end 0", "start 0", "end 0", "start 1", "end 1");
    assertThat(net.getEpochCount()).isEqualTo(2); // of stage two
  }

  @Test
  void epochsTakeNoLongerThanTheTraining() {
    long start = System.nanoTime();
    TrainingResult result =
        TinyTask.trainer(TinyTask.net(), TinyTask.plan(1, 1).build()).build().train();
    double seconds = (System.nanoTime() - start) / 1e9;
    assertThat(result.history()).extracting(EpochRecord::seconds).allMatch(s -> s > 0);
    assertThat(result.history().stream().mapToDouble(EpochRecord::seconds).sum())
        .isLessThanOrEqualTo(seconds);
  }

  @Test
  void featuresOfAnotherTrainingAreUsedAgain() {
    FeatureCache cache = FeatureCache.inMemory();
    Counting images = new Counting(TinyTask.images(1, 24));
    for (int reads : new int[] {25, 1}) { // the first image is read once more, to see the size
      images.reads = 0;
      TinyTask.trainer(TinyTask.net(), TinyTask.plan(1, 0).build())
          .training(images)
          .featureCache(cache)
          .build()
          .train();
      assertThat(images.reads).isEqualTo(reads);
    }
  }

  /** Nothing is learnt, so the fit at the end of the stage is no better than that before it. */
  @Test
  void theFitBeforeTheFirstEpochCanBeTheBest() {
    TrainingPlan plan =
        TrainingPlan.recommended().toBuilder()
            .batchSize(8)
            .epochs(Stage.HEAD, 1)
            .epochs(Stage.WHOLE, 0)
            .rates(Stage.HEAD, 0)
            .keep(KeptWeights.BEST)
            .build();
    TrainingResult result = TinyTask.trainer(TinyTask.net(), plan).build().train();
    assertThat(result.best().epoch()).isZero();
    assertThat(result.bestAccuracy()).isGreaterThan(0.9);
  }

  private static Optional<String> reason(ComputationGraph net, int images, ClassifierTraining how) {
    ImageBatches batches = ImageBatches.ofImages(TinyTask.images(1, images), net, 4);
    return ClassifierFit.reasonAgainst(how, net, batches);
  }

  @Test
  void sixImagesAreEnoughForAFit() {
    ComputationGraph net = TinyTask.net();
    assertThat(reason(net, 6, ClassifierTraining.FITTED)).isEmpty();
    assertThat(reason(net, 6, ClassifierTraining.LEARNT_THEN_FITTED)).isEmpty();
    assertThat(reason(net, 5, ClassifierTraining.FITTED)).contains("there are too few pictures");
    assertThat(reason(net, 6, ClassifierTraining.LEARNT)).contains("the plan says so");
  }

  @Test
  void onlyASoftmaxIsFitted() {
    ComputationGraph net = TinyTask.net();
    ((OutputLayer) net.getLayer("out").conf().getLayer()).setActivationFn(new ActivationSigmoid());
    assertThat(reason(net, 24, ClassifierTraining.FITTED))
        .contains("'out' is not a plain softmax layer");
  }
}
