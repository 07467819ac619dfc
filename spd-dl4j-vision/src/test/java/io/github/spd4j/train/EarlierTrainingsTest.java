/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static io.github.spd4j.testing.EarlierFiles.own;
import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.files.OwnFolder;
import io.github.spd4j.testing.EarlierFiles;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.features.Features;
import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.TrainingProgress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** Trainings that earlier revisions began go on, and end with the weights that they had. */
class EarlierTrainingsTest {

  private static final String CUT = "conv";
  private static final int TRAINING = 15;
  private static final int ALL = 24;

  private static final TrainingPlan RECOMMENDED =
      TrainingPlan.recommended().toBuilder()
          .batchSize(4)
          .epochs(Stage.HEAD, 3)
          .epochs(Stage.WHOLE, 2)
          .keep(KeptWeights.LAST)
          .build();

  private static final TrainingPlan PAPER =
      TrainingPlan.paper().toBuilder()
          .batchSize(4)
          .rates(Stage.HEAD, 0.02)
          .rates(Stage.WHOLE, 0.01)
          .epochs(Stage.HEAD, 2)
          .epochs(Stage.WHOLE, 3)
          .build();

  private static final String[] FIGURES = {
    "trainingLoss", "trainingAccuracy", "validationLoss", "validationAccuracy"
  };

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;

  private final INDArray images = EarlierFiles.numbers("images.npy");

  /** Fails if features are computed that a file should have. */
  private static final class NothingToCompute implements TrainingProgress {
    @Override
    public void featuresDone(int done, int of) {
      assertThat(done).isEqualTo(of);
    }
  }

  private static ComputationGraph start(String name) throws IOException {
    return ModelSerializer.restoreComputationGraph(
        EarlierFiles.path(own(name + "-start.zip")).toFile(), false);
  }

  private LabelledImages part(int from, int to) {
    int[] labels = IntStream.range(from, to).map(i -> i % EarlierFiles.CLASSES).toArray();
    INDArray some = images.get(NDArrayIndex.interval(from, to));
    return new InMemoryImages(some, labels, EarlierFiles.CLASSES);
  }

  private TrainingResult resume(ComputationGraph net, TrainingPlan plan) {
    return TwoStageTrainer.builder(net, CUT)
        .plan(plan)
        .training(part(0, TRAINING))
        .validation(part(TRAINING, ALL))
        .folder(folder)
        .progress(new NothingToCompute())
        .build()
        .train();
  }

  private static void assertEnded(ComputationGraph net, TrainingResult result, String name)
      throws IOException {
    double tolerance = rounding(net.params().dataType());
    assertThat(result.resumed()).isTrue();
    JsonNode expected = JSON.readTree(EarlierFiles.path(own(name + "-history.json")).toFile());
    JsonNode history = JSON.readTree(result.historyJson());
    assertThat(history).hasSameSizeAs(expected);
    for (int i = 0; i < history.size(); i++) {
      assertSame(history.get(i), expected.get(i), tolerance);
    }
    INDArray end = EarlierFiles.numbers(own(name + "-end.npy"));
    assertClose(net.params(), end, tolerance);
  }

  /** Two records of an epoch agree but for how long it took. */
  private static void assertSame(JsonNode record, JsonNode expected, double tolerance) {
    assertThat(record.fieldNames()).toIterable().containsExactlyElementsOf(expected::fieldNames);
    for (String name : new String[] {"stage", "epoch", "rates", "rollback"}) {
      assertThat(record.get(name)).isEqualTo(expected.get(name));
    }
    for (String name : FIGURES) {
      double figure = record.get(name).asDouble(Double.NaN);
      double before = expected.get(name).asDouble(Double.NaN);
      assertThat(figure).isCloseTo(before, within(tolerance));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"training/head", "0.1.0/training/head"})
  void stageOneGoesOn(String name) throws IOException {
    copy(own(name));
    String[] features = features();
    ComputationGraph net = start(name);
    TrainingResult result = resume(net, RECOMMENDED);
    assertEnded(net, result, name);
    assertThat(features()).isEqualTo(features);
  }

  /** The features become ours, as if this revision had written them. */
  private void copy(String name) {
    String[] features = EarlierFiles.path(name).resolve("features").toFile().list();
    if (features != null) {
      OwnFolder.claim("a test", folder.resolve("features")).own(features);
    }
    EarlierFiles.copy(name, folder);
  }

  @Test
  void stageTwoGoesOn() throws IOException {
    copy(own("training/whole"));
    ComputationGraph net = start("training/whole");
    TrainingResult result = resume(net, PAPER);
    assertEnded(net, result, "training/whole");
  }

  @ParameterizedTest
  @ValueSource(strings = {"training/head", "0.1.0/training/head"})
  void featuresAreFoundAndRight(String name) throws IOException {
    copy(own(name));
    FeatureCache cache = FeatureCache.inFolder(folder.resolve("features"));
    ComputationGraph net = start(name);
    int[] all = IntStream.range(0, TRAINING).toArray();
    try (Features found = cache.features(net, CUT, part(0, TRAINING), 4, new NothingToCompute())) {
      INDArray computed = net.feedForward(images.castTo(DataType.DOUBLE), false).get(CUT);
      INDArray expected = computed.get(NDArrayIndex.interval(0, TRAINING));
      assertClose(found.batch(all), expected, FLOAT_ROUNDING);
    }
  }

  private String[] features() {
    String[] names = folder.resolve("features").toFile().list();
    Arrays.sort(names);
    return names;
  }
}
