/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.engine.LocalEngine;
import io.github.spd4j.statistics.RidgeClassifier;
import io.github.spd4j.statistics.RidgeExamples;
import io.github.spd4j.statistics.RidgeProgress;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.train.TinyTask.Told;
import io.github.spd4j.train.engine.TrainingEngine;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.Plateau;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.config.Nesterovs;

/** Which classifier stands in the end, and which images have a say in it. */
@Tag("once")
class FittedOrLearntTest {

  private static final String CUT = "layer0";
  private static final int MANY = 2100;

  /** The features at the cut are rounded to FLOAT, which the smallest penalty multiplies by 1e4. */
  private static final double FLOAT_FEATURES = 1e-3;

  /** An image of class −1, 0 or 1 has that brightness: one number tells the classes apart. */
  private static LabelledImages onALine(int count) {
    Random random = new Random(3);
    INDArray images = Nd4j.zeros(DataType.FLOAT, count, 1, 2, 2);
    int[] labels = new int[count];
    for (int i = 0; i < count; i++) {
      labels[i] = random.nextInt(Networks.CLASSES);
      for (int pixel = 0; pixel < 4; pixel++) {
        double value = labels[i] - 1 + 0.1 * random.nextGaussian();
        images.putScalar(new int[] {i, 0, pixel / 2, pixel % 2}, value);
      }
    }
    return new InMemoryImages(images, labels, Networks.CLASSES);
  }

  /**
   * The classifier sees one number. The class in the middle is never the highest of a regression of
   * indicators, but it can be learnt.
   */
  private static ComputationGraph net(int numbers) {
    ComputationGraph net =
        Networks.plain(
            Networks.general(DataType.DOUBLE, new Nesterovs(0.01, 0.9)),
            List.of(
                new ConvolutionLayer.Builder(1, 1).nOut(1).activation(Activation.IDENTITY).build(),
                new ConvolutionLayer.Builder(1, 1)
                    .nOut(numbers)
                    .activation(numbers == 1 ? Activation.IDENTITY : Activation.RELU)
                    .build(),
                new GlobalPoolingLayer(PoolingType.AVG)),
            InputType.convolutional(2, 2, 1));
    return Backbone.of(net, CUT).marked();
  }

  private static TrainingPlan.Builder plan(int headEpochs, int wholeEpochs) {
    return TrainingPlan.recommended().toBuilder()
        .schedule(Plateau.of(0.1, 3, 2)) // as many epochs as are asked for
        .batchSize(50)
        .rates(Stage.HEAD, 0.05)
        .rates(Stage.WHOLE, 0.01)
        .epochs(Stage.HEAD, headEpochs)
        .epochs(Stage.WHOLE, wholeEpochs);
  }

  private static double accuracy(ComputationGraph net, LabelledImages images) {
    int[] all = IntStream.range(0, images.size()).toArray();
    ImageBatches batches = ImageBatches.ofImages(images, net, images.size());
    INDArray guesses = net.output(false, batches.inputs(all, 0))[0].argMax(1);
    return IntStream.of(all).filter(i -> guesses.getInt(i) == images.label(i)).count()
        / (double) images.size();
  }

  /** Remembers which images were learnt from. */
  private static class Watching implements TrainingEngine {
    private final List<Set<Integer>> passes = new ArrayList<>();
    private final TrainingEngine engine = new LocalEngine();

    @Override
    public Stream<INDArray> features(
        ComputationGraph backbone, LabelledImages images, byte[] key, int first, int batchSize) {
      return engine.features(backbone, images, key, first, batchSize);
    }

    @Override
    public void train(ComputationGraph net, TrainingPass pass) {
      passes.add(Arrays.stream(pass.order()).boxed().collect(Collectors.toSet()));
      engine.train(net, pass);
    }
  }

  @Test
  void withoutValidationALearntClassifierThatIsBetterStays() {
    ComputationGraph net = net(1);
    Told told = new Told();
    TrainingResult result =
        TwoStageTrainer.builder(net)
            .plan(plan(5, 0).build())
            .training(onALine(MANY))
            .withoutValidation()
            .progress(told)
            .build()
            .train();
    assertThat(accuracy(net, onALine(300))).isGreaterThan(0.95);
    assertThat(result.best().epoch()).isEqualTo(5);
    assertThat(result.notes()).hasSize(2);
    assertThat(result.notes().get(0)).startsWith("210 of 2100 training images are held out");
    assertThat(result.notes().get(1))
        .startsWith("Of 210 images that were held out, a fitted classifier has")
        .contains("it is not fitted");
    assertThat(told.messages).containsAll(result.notes());
    assertThat(result.toString()).contains("HEAD: 5 records", "best: HEAD 5", "is not fitted");
  }

  /** A whole network of which the classifier alone learns has nothing to compare it with. */
  @Test
  void nothingIsHeldOutWhereNothingElseLearns() {
    ComputationGraph pooled =
        Networks.plain(
            Networks.general(DataType.DOUBLE, new Nesterovs(0.01, 0.9)),
            List.of(
                new SubsamplingLayer.Builder(PoolingType.AVG).kernelSize(1, 1).build(),
                new GlobalPoolingLayer(PoolingType.AVG)),
            InputType.convolutional(2, 2, 1));
    TrainingResult result =
        TwoStageTrainer.builder(Backbone.of(pooled, CUT).marked())
            .plan(plan(0, 2).build())
            .training(onALine(MANY))
            .withoutValidation()
            .build()
            .train();
    assertThat(result.notes()).noneMatch(note -> note.contains("held out"));
  }

  @Test
  void withValidationItStaysTooAlsoIfTheLastWeightsAreKept() {
    for (KeptWeights keep : KeptWeights.values()) {
      ComputationGraph net = net(1);
      TrainingResult result =
          TwoStageTrainer.builder(net)
              .plan(plan(20, 0).keep(keep).build())
              .training(onALine(400))
              .validation(onALine(200))
              .progress(new Told())
              .build()
              .train();
      assertThat(accuracy(net, onALine(300))).isGreaterThan(0.95);
      assertThat(result.notes()).hasSize(1);
      assertThat(result.notes().get(0)).contains("is dropped. Of 200 images");
    }
  }

  @Test
  void nothingIsLearntFromImagesThatAreHeldOut() {
    Watching engine = new Watching();
    TwoStageTrainer.builder(net(6))
        .plan(plan(2, 1).build())
        .training(onALine(MANY))
        .withoutValidation()
        .engine(engine)
        .progress(new Told())
        .build()
        .train();
    assertThat(engine.passes).hasSize(3);
    assertThat(engine.passes.get(0)).hasSize(MANY - MANY / 10);
    assertThat(Set.copyOf(engine.passes)).hasSize(1); // the same ones in both stages
  }

  /** Where the rates fall, the comparison is over. */
  @Test
  void allImagesTrainOnceTheRatesFall() {
    Watching engine = new Watching();
    ComputationGraph net = net(6);
    TwoStageTrainer.builder(net)
        .plan(plan(10, 0).schedule(Plateau.of(0.1, 3, 2)).build())
        .training(onALine(MANY))
        .withoutValidation()
        .engine(engine)
        .progress(new Told())
        .build()
        .train();
    assertThat(engine.passes.subList(0, 6)).allMatch(pass -> pass.size() == MANY - MANY / 10);
    assertThat(engine.passes.subList(6, 10)).allMatch(pass -> pass.size() == MANY);
    assertIsFittedTo(onALine(MANY), net);
  }

  /** Three views of each picture, by number: i, i + a third, i + two thirds. */
  private static LabelledImages threeViews(int pictures) {
    LabelledImages once = onALine(pictures);
    return new LabelledImages() {
      @Override
      public int size() {
        return 3 * pictures;
      }

      @Override
      public int classes() {
        return once.classes();
      }

      @Override
      public String name(int index) {
        return "view " + index;
      }

      @Override
      public int picture(int index) {
        return index % pictures;
      }

      @Override
      public int label(int index) {
        return once.label(picture(index));
      }

      @Override
      public INDArray image(int index) {
        return once.image(picture(index)).mul(1 + index / pictures);
      }
    };
  }

  private static Set<Integer> pictures(Set<Integer> images, int pictures) {
    return images.stream().map(i -> i % pictures).collect(Collectors.toSet());
  }

  private static Watching trained(LabelledImages images, TrainingPlan plan) {
    Watching engine = new Watching();
    TwoStageTrainer.builder(net(6))
        .plan(plan)
        .training(images)
        .withoutValidation()
        .engine(engine)
        .progress(new Told())
        .build()
        .train();
    return engine;
  }

  @Test
  void theViewsOfAPictureAreHeldOutTogether() {
    Set<Integer> learnt = trained(threeViews(MANY), plan(1, 0).build()).passes.get(0);
    assertThat(learnt).hasSize(3 * (MANY - MANY / 10));
    assertThat(pictures(learnt, MANY)).hasSize(MANY - MANY / 10);
  }

  @Test
  void upTo2000PicturesNoneIsHeldOutHoweverManyViewsTheyHave() {
    Watching engine = trained(threeViews(700), plan(1, 0).build());
    assertThat(engine.passes.get(0)).hasSize(2100);
  }

  @Test
  void noPictureIsInBothHalvesOfAnEpoch() {
    TrainingPlan plan = plan(1, 0).classifier(ClassifierTraining.FITTED).build();
    List<Set<Integer>> halves = trained(threeViews(20), plan).passes;
    assertThat(halves).hasSize(2).allMatch(half -> half.size() == 30);
    assertThat(pictures(halves.get(0), 20))
        .doesNotContainAnyElementsOf(pictures(halves.get(1), 20));
  }

  /** Six pictures, the last one with many views: each half must have enough to fit to. */
  @Test
  void halvesHaveEquallyManyPicturesHoweverManyViewsTheyHave() {
    int[] views = IntStream.range(0, 13).map(i -> i < 6 ? i : 5).toArray();
    for (long seed = 0; seed < 20; seed++) {
      LabelledImages images = threeViews(6).subset(views);
      TrainingPlan plan = plan(1, 0).classifier(ClassifierTraining.FITTED).seed(seed).build();
      assertThat(trained(images, plan).passes)
          .allMatch(half -> half.stream().map(i -> views[i]).distinct().count() == 3);
    }
  }

  @Test
  void aFitLeavesTheViewsOfAPictureOutTogether() {
    LabelledImages images = threeViews(40);
    ComputationGraph net = net(6);
    TwoStageTrainer.builder(net)
        .plan(plan(0, 0).build())
        .training(images)
        .withoutValidation()
        .progress(new Told())
        .build()
        .train();
    int[] order = IntStream.range(0, 120).map(i -> i / 3 + 40 * (i % 3)).toArray();
    assertIsFittedTo(images, net, order);
  }

  @Test
  void aFitThatIsBetterTakesTheImagesThatWereHeldOut() {
    ComputationGraph net = net(6);
    LabelledImages images = onALine(MANY);
    TrainingResult result =
        TwoStageTrainer.builder(net)
            .plan(plan(1, 0).rates(Stage.HEAD, 1e-5).build()) // too slow to learn anything
            .training(images)
            .withoutValidation()
            .progress(new Told())
            .build()
            .train();
    assertThat(result.notes()).hasSize(2);
    assertThat(result.notes().get(1)).contains("it will be fitted");
    assertThat(result.best().epoch()).isEqualTo(2);
    assertIsFittedTo(images, net);
  }

  @Test
  void upTo2000ImagesNoneIsHeldOut() {
    Watching engine = new Watching();
    TrainingResult result =
        TwoStageTrainer.builder(net(6))
            .plan(plan(1, 0).build())
            .training(onALine(2000))
            .withoutValidation()
            .engine(engine)
            .progress(new Told())
            .build()
            .train();
    assertThat(engine.passes.get(0)).hasSize(2000);
    assertThat(result.notes())
        .singleElement()
        .asString()
        .contains("not compared with the learnt one", "Give the trainer validation images");
  }

  @Test
  void theFitTakesAllImages() {
    ComputationGraph net = net(6);
    LabelledImages images = onALine(2 * MANY); // more than are read at once
    TrainingResult result =
        TwoStageTrainer.builder(net)
            .plan(plan(0, 0).build())
            .training(images)
            .withoutValidation()
            .progress(new Told())
            .build()
            .train();
    assertIsFittedTo(images, net);
    assertThat(result.notes()).isEmpty();
  }

  private static void assertIsFittedTo(LabelledImages images, ComputationGraph net) {
    assertIsFittedTo(images, net, IntStream.range(0, images.size()).toArray());
  }

  private static void assertIsFittedTo(LabelledImages images, ComputationGraph net, int... order) {
    ImageBatches batches = ImageBatches.ofImages(images, net, images.size());
    INDArray vectors = net.feedForward(batches.inputs(order, 0), false).get("layer2").dup();
    RidgeExamples examples =
        new RidgeExamples() {
          @Override
          public long length() {
            return vectors.columns();
          }

          @Override
          public DataType type() {
            return vectors.dataType();
          }

          @Override
          public INDArray read(int first, int end) {
            return vectors.get(NDArrayIndex.interval(first, end), NDArrayIndex.all()).dup();
          }
        };
    RidgeClassifier expected =
        RidgeClassifier.fit(
            examples,
            batches.labels(order),
            batches.pictures(order),
            Networks.CLASSES,
            RidgeProgress.NONE);
    assertClose(net.getParam("out_W"), expected.weights(), FLOAT_FEATURES);
    assertClose(net.getParam("out_b").reshape(1, 3), expected.bias(), FLOAT_FEATURES);
  }

  /** In an epoch of FITTED, a half is learnt from with a classifier fitted to the other alone. */
  @Test
  void whatIsLearntFromIsUnknownToTheClassifier() {
    LabelledImages images = onALine(60);
    List<Double> distances = new ArrayList<>();
    TrainingEngine checking =
        new Watching() {
          @Override
          public void train(ComputationGraph net, TrainingPass pass) {
            int[] order = pass.order();
            int[] others =
                IntStream.range(0, 60)
                    .filter(i -> IntStream.of(order).noneMatch(j -> i == j))
                    .toArray();
            ComputationGraph clone = net.clone();
            ImageBatches batches =
                ImageBatches.ofFeatures(
                    pass::inputs, images, net, 60); // in stage one, without variants
            new ClassifierFit(clone, batches, new Told()).fitTo(others);
            distances.add(net.getParam("out_W").distance2(clone.getParam("out_W")));
            distances.add(net.getParam("out_b").distance2(clone.getParam("out_b")));
            super.train(net, pass);
          }
        };
    TwoStageTrainer.builder(net(6))
        .plan(plan(2, 0).classifier(ClassifierTraining.FITTED).rates(Stage.HEAD, 1e-3).build())
        .training(images)
        .withoutValidation()
        .engine(checking)
        .progress(new Told())
        .build()
        .train();
    assertThat(distances).hasSize(8).allMatch(distance -> distance < 1e-6);
  }

  @Test
  void saysToHowManyImagesItIsFittedIfNotToAll() {
    ComputationGraph net =
        Networks.plain(
            Networks.general(DataType.FLOAT, new Nesterovs(0.01, 0.9)),
            List.of(new ConvolutionLayer.Builder(1, 1).nOut(4200).build()),
            InputType.convolutional(2, 2, 1));
    ClassifierFit fit =
        new ClassifierFit(net, ImageBatches.ofImages(onALine(10), net, 5), new Told());
    assertThat(fit.limit(16384)).isEmpty();
    assertThat(fit.limit(20_000))
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .startsWith("The classifier is fitted to 16384 of 20000 training images")
                    .contains("16800 inputs of 'out'"));
  }
}
