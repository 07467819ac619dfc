/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.MatrixSquareRootLayer;
import io.github.spd4j.layers.SpdBatchNormalizationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.testing.NetworkFiles;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.ReleasedFiles;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.features.Features;
import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.TrainingProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * Trainings that every release, and this version, began go on, and end with the weights that they
 * had: {@code head} was stopped in stage one, {@code whole} in stage two.
 */
class ReleasedTrainingsTest {

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

  private final INDArray images = images();

  private static INDArray images() {
    return NetworkFiles.images(ALL, 6);
  }

  static Stream<Named<Path>> folders() {
    return ReleasedFiles.folders("trainings", ReleasedTrainingsTest::write);
  }

  private static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static void write(Path folder) throws IOException {
    write(folder, "head", DataType.DOUBLE, RECOMMENDED, 2);
    write(folder, "whole", DataType.FLOAT, PAPER, 3);
  }

  /** The start, what is left after some epochs, and what it comes to. */
  private static void write(Path folder, String name, DataType type, TrainingPlan plan, int epochs)
      throws IOException {
    Path start = folder.resolve(name + "-start.zip");
    ModelSerializer.writeModel(net(type), start.toFile(), false);
    Path training = folder.resolve(name);
    TrainingProgress stopping =
        new TrainingProgress() {
          private int left = epochs;

          @Override
          public void epochDone(EpochRecord record) {
            left -= record.epoch() > 0 ? 1 : 0;
            if (left == 0) {
              throw new Stop();
            }
          }
        };
    assertThatThrownBy(() -> train(start(folder, name), plan, training, stopping))
        .isInstanceOf(Stop.class);
    Path end = Files.createTempDirectory(folder, "end");
    ReleasedFiles.copy(training, end);
    ComputationGraph net = start(folder, name);
    TrainingResult result = train(net, plan, end, new TrainingProgress() {});
    ReleasedFiles.write(net.params(), folder.resolve(name + "-end.npy"));
    Files.writeString(folder.resolve(name + "-history.json"), result.historyJson());
    ReleasedFiles.delete(end);
  }

  private static ComputationGraph net(DataType type) {
    ComputationGraph net =
        new ComputationGraph(
            Networks.general(type, new Nesterovs(0.02, 0.9))
                .l2(1e-3)
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(InputType.convolutional(6, 6, 2))
                .addLayer(CUT, new ConvolutionLayer.Builder(3, 3).nOut(5).build(), "in")
                .addLayer("kernel", new KernelAggregationLayer.Builder().ridge(1e-2).build(), CUT)
                .addLayer("transform", new SpdTransformLayer.Builder().nOut(3).build(), "kernel")
                .addLayer(
                    "normalisation", new SpdBatchNormalizationLayer.Builder().build(), "transform")
                .addLayer("root", new MatrixSquareRootLayer.Builder().build(), "normalisation")
                .addLayer(
                    "vector", new SpdVectorizationLayer.Builder().powerFloor(0.1).build(), "root")
                .addLayer(
                    "out",
                    new OutputLayer.Builder(LossFunction.MCXENT)
                        .activation(Activation.SOFTMAX)
                        .nOut(NetworkFiles.CLASSES)
                        .build(),
                    "vector")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  private static ComputationGraph start(Path release, String name) throws IOException {
    ComputationGraph net =
        ModelSerializer.restoreComputationGraph(
            release.resolve(name + "-start.zip").toFile(), false);
    return Backbone.of(net, CUT).marked();
  }

  private static LabelledImages part(int from, int to) {
    int[] labels = IntStream.range(from, to).map(i -> i % NetworkFiles.CLASSES).toArray();
    INDArray some = images().get(NDArrayIndex.interval(from, to));
    return new InMemoryImages(some, labels, NetworkFiles.CLASSES);
  }

  private static TrainingResult train(
      ComputationGraph net, TrainingPlan plan, Path folder, TrainingProgress progress) {
    return TwoStageTrainer.builder(net)
        .plan(plan)
        .training(part(0, TRAINING))
        .validation(part(TRAINING, ALL))
        .folder(folder)
        .progress(progress)
        .build()
        .train();
  }

  /** Fails if features are computed that a file should have. */
  private static final class NothingToCompute implements TrainingProgress {
    @Override
    public void featuresDone(int done, int of) {
      assertThat(done).isEqualTo(of);
    }
  }

  private static void assertEnded(
      Path release, String name, ComputationGraph net, TrainingResult result) throws IOException {
    double tolerance = rounding(net.params().dataType());
    assertThat(result.resumed()).isTrue();
    JsonNode expected = JSON.readTree(release.resolve(name + "-history.json").toFile());
    JsonNode history = JSON.readTree(result.historyJson());
    assertThat(history).hasSameSizeAs(expected);
    for (int i = 0; i < history.size(); i++) {
      assertSame(history.get(i), expected.get(i), tolerance);
    }
    INDArray end = ReleasedFiles.numbers(release.resolve(name + "-end.npy"));
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
  @MethodSource("folders")
  void stageOneGoesOn(Path release) throws IOException {
    ReleasedFiles.copy(release.resolve("head"), folder);
    String[] features = features();
    ComputationGraph net = start(release, "head");
    TrainingResult result = train(net, RECOMMENDED, folder, new NothingToCompute());
    assertEnded(release, "head", net, result);
    assertThat(features()).isEqualTo(features);
  }

  @ParameterizedTest
  @MethodSource("folders")
  void stageTwoGoesOn(Path release) throws IOException {
    ReleasedFiles.copy(release.resolve("whole"), folder);
    ComputationGraph net = start(release, "whole");
    TrainingResult result = train(net, PAPER, folder, new NothingToCompute());
    assertEnded(release, "whole", net, result);
  }

  @ParameterizedTest
  @MethodSource("folders")
  void featuresAreFoundAndRight(Path release) throws IOException {
    ReleasedFiles.copy(release.resolve("head"), folder);
    FeatureCache cache = FeatureCache.inFolder(folder.resolve("features"));
    ComputationGraph net = start(release, "head");
    int[] all = IntStream.range(0, TRAINING).toArray();
    try (Features found = cache.features(net, part(0, TRAINING), 4, new NothingToCompute())) {
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
