/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.testing.Networks;
import io.github.spd4j.train.TinyTask.Told;
import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Optimizer;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The recommended plan finds the classifier's rate and the number of epochs by itself. */
@Tag("once")
class ChosenRatesTest {

  private static final String VECTOR = "layer4";

  private static TrainingPlan.Builder plan(int epochs) {
    return TrainingPlan.recommended().toBuilder()
        .batchSize(8)
        .epochs(Stage.HEAD, epochs)
        .epochs(Stage.WHOLE, 0);
  }

  private static TrainingResult train(TrainingPlan plan, LabelledImages images, Told told) {
    ComputationGraph net = TinyTask.net();
    String classifier = net.getConfiguration().getNetworkOutputs().get(0);
    net.getLayer(classifier).params().assign(0); // as a graft does
    return TwoStageTrainer.builder(net)
        .plan(plan)
        .training(images)
        .withoutValidation()
        .progress(told)
        .build()
        .train();
  }

  private static double firstRate(TrainingResult result, LayerGroup group) {
    return result.history().get(0).rates().get(group);
  }

  /** The bound that {@code limitClassifierRate} promises, from all vectors of a set. */
  private static double limit(LabelledImages images) {
    ComputationGraph net = TinyTask.net();
    INDArray[] all =
        IntStream.range(0, images.size())
            .mapToObj(images::image)
            .map(image -> net.feedForward(image, false).get(VECTOR).dup())
            .toArray(INDArray[]::new);
    INDArray vectors = Nd4j.concat(0, all);
    double length = vectors.norm1(1).meanNumber().doubleValue();
    INDArray apart = vectors.subRowVector(vectors.mean(0));
    return 2 * apart.norm1(1).meanNumber().doubleValue() / (length * length);
  }

  @Test
  void theClassifiersRateIsWhatItsInputsBear() {
    LabelledImages images = TinyTask.images(1, 24);
    TrainingPlan high = plan(1).rates(Stage.HEAD, 1).rate(Stage.HEAD, LayerGroup.REST, 2).build();
    Told told = new Told();
    TrainingResult result = train(high, images, told);
    double limit = limit(images);
    assertThat(firstRate(result, LayerGroup.CLASSIFIER)).isCloseTo(limit, within(1e-5 * limit));
    assertThat(limit).isLessThan(1);
    assertThat(firstRate(result, LayerGroup.CONVOLUTION)).isEqualTo(1);
    assertThat(told.messages).anyMatch(message -> message.contains("rate is held down to"));
  }

  @Test
  void thePlansRateIsTheMost() {
    Told told = new Told();
    TrainingPlan low = plan(1).rates(Stage.HEAD, 1e-9).build();
    assertThat(firstRate(train(low, TinyTask.images(1, 24), told), LayerGroup.CLASSIFIER))
        .isEqualTo(1e-9);
    assertThat(told.messages).noneMatch(message -> message.contains("held down"));
  }

  @Test
  void theRateIsThePlansWhereItIsNotToBeLimited() {
    LabelledImages images = TinyTask.images(1, 24);
    TrainingPlan.Builder high = plan(1).rates(Stage.HEAD, 0.5);
    for (TrainingPlan plan :
        List.of(
            high.limitClassifierRate(false).build(),
            high.limitClassifierRate(true).optimizer(Optimizer.MOMENTUM).build())) {
      assertThat(firstRate(train(plan, images, new Told()), LayerGroup.CLASSIFIER)).isEqualTo(0.5);
    }
  }

  /** A single image has nothing apart from itself; pictures that are equal have nothing either. */
  @Test
  void equalImagesLimitNothing() {
    INDArray pixels = TinyTask.images(1, 1).image(0);
    LabelledImages equal =
        new InMemoryImages(Nd4j.concat(0, pixels, pixels), new int[] {0, 1}, Networks.CLASSES);
    TrainingResult result = train(plan(1).build(), equal, new Told());
    assertThat(firstRate(result, LayerGroup.CLASSIFIER)).isBetween(1e-5, 1e-3);
  }

  @Test
  void aHeadThatHasLearntStops() {
    Told told = new Told();
    TrainingPlan fast = plan(60).rates(Stage.HEAD, 0.02).limitClassifierRate(false).build();
    TrainingResult result = train(fast, TinyTask.images(1, 24), told);
    List<EpochRecord> learnt =
        result.history().stream().filter(record -> !record.rates().isEmpty()).toList();
    assertThat(learnt).hasSizeLessThan(60);
    EpochRecord last = learnt.get(learnt.size() - 1);
    assertThat(last.trainingAccuracy()).isGreaterThan(0.95);
    assertThat(last.rates().get(LayerGroup.CONVOLUTION)).isLessThan(0.001);
    assertThat(told.messages).filteredOn(m -> m.contains("are learnt: rates fall")).hasSize(1);
  }

  /**
   * A first step that is far too large is undone, and the head goes on with smaller ones; where the
   * classifier's rate is chosen, it is not made.
   */
  @Test
  void aHeadThatDivergesAtTheFirstStepGoesOnWithSmallerOnes() {
    Random random = new Random(6);
    LabelledImages noise = labelled(TinyTask.images(1, 24), i -> random.nextInt(Networks.CLASSES));
    TrainingPlan.Builder wild = plan(12).rate(Stage.HEAD, LayerGroup.CLASSIFIER, 30);
    TrainingResult result = train(wild.limitClassifierRate(false).build(), noise, new Told());
    assertThat(result.rollbacks()).isNotEmpty();
    assertThat(lastThatStood(result).trainingLoss()).isLessThan(4 * Math.log(Networks.CLASSES));
    TrainingResult limited = train(wild.limitClassifierRate(true).build(), noise, new Told());
    assertThat(limited.rollbacks()).isEmpty();
    assertThat(limited.history().get(0).trainingLoss())
        .isLessThan(2 * Math.log(Networks.CLASSES))
        .isLessThan(result.history().get(0).trainingLoss() / 2);
  }

  private static LabelledImages labelled(LabelledImages images, IntUnaryOperator label) {
    INDArray[] each =
        IntStream.range(0, images.size()).mapToObj(images::image).toArray(INDArray[]::new);
    int[] labels = IntStream.range(0, images.size()).map(label).toArray();
    return new InMemoryImages(Nd4j.concat(0, each), labels, Networks.CLASSES);
  }

  private static EpochRecord lastThatStood(TrainingResult result) {
    return result.history().stream()
        .filter(record -> !record.rolledBack() && !Double.isNaN(record.trainingAccuracy()))
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  /** A class that no image is of, few images, and more than tell what vectors have in common. */
  @Test
  void trainsWithAClassWithoutImagesAndWithAnyNumberOfThem() {
    for (int images : new int[] {4, 20, 150}) {
      LabelledImages some = TinyTask.images(3, images);
      LabelledImages two = labelled(some, image -> some.label(image) % 2);
      TrainingResult result = train(plan(8).rates(Stage.HEAD, 0.02).build(), two, new Told());
      assertThat(result.rollbacks()).isEmpty();
      assertThat(firstRate(result, LayerGroup.CLASSIFIER)).isPositive();
    }
  }

  /** Six thousand images: a tenth is held out, and learning goes on from the rest. */
  @Test
  void alsoWithThousandsOfImages() {
    LabelledImages few = TinyTask.images(5, 60);
    LabelledImages many =
        new LabelledImages() {
          @Override
          public int size() {
            return 6000;
          }

          @Override
          public int classes() {
            return few.classes();
          }

          @Override
          public String name(int index) {
            return "image " + index;
          }

          @Override
          public int label(int index) {
            return few.label(index % few.size());
          }

          @Override
          public INDArray image(int index) {
            return few.image(index % few.size());
          }
        };
    TrainingResult result =
        train(plan(30).batchSize(500).rates(Stage.HEAD, 0.02).build(), many, new Told());
    assertThat(result.notes()).anyMatch(note -> note.startsWith("600 of 6000"));
    assertThat(lastThatStood(result).trainingAccuracy()).isGreaterThan(0.95);
    assertThat(result.history()).hasSizeLessThan(30);
  }
}
