/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.features.Features;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Optimizer;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.TrainingProgress;
import java.io.File;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two threads in this process; other processes are the matter of the examples' tests. */
class SparkEngineTest {

  /** Images computed in other batches may differ in their last bits. */
  private static final int PER_PART = 5;

  /** Two ways to add up the same gradients in single precision, over some steps. */
  private static final double SAME_STEPS = 1e-4;

  private static final double ON_MANIFOLD = 1e-5;

  private static SparkCluster cluster;

  @TempDir Path folder;

  @BeforeAll
  static void connect() {
    System.setProperty("spark.ui.enabled", "false");
    cluster = SparkCluster.connect("local[2]", "test");
  }

  @AfterAll
  static void disconnect() {
    cluster.close();
  }

  private SparkEngine engine() {
    return cluster.engine(folder.resolve("parts").toUri().toString()).imagesPerPart(PER_PART);
  }

  private static TrainingPlan plan(int head, int whole) {
    return TrainingPlan.paper().toBuilder()
        .batchSize(8)
        .rates(Stage.HEAD, 0.01)
        .rate(Stage.HEAD, LayerGroup.CLASSIFIER, 0.1)
        .rates(Stage.WHOLE, 0.01)
        .epochs(Stage.HEAD, head)
        .epochs(Stage.WHOLE, whole)
        .build();
  }

  private TwoStageTrainer.Builder trainer(ComputationGraph net, TrainingPlan plan) {
    return TwoStageTrainer.builder(net)
        .plan(plan)
        .training(new Stripes(1, 24))
        .validation(new Stripes(2, 12))
        .progress(new TrainingProgress() {});
  }

  private TwoStageTrainer.Builder onSpark(
      ComputationGraph net, TrainingPlan plan, SparkEngine engine) {
    return trainer(net, plan)
        .featureCache(FeatureCache.inFolder(folder.resolve("cache")).computedBy(engine))
        .engine(engine);
  }

  @Test
  void featuresAreThoseOfOneMachine() throws Exception {
    Stripes images = new Stripes(1, 23);
    ComputationGraph net = Stripes.net();
    TrainingProgress silent = new TrainingProgress() {};
    FeatureCache alone = FeatureCache.inFolder(folder.resolve("alone"));
    FeatureCache spark = FeatureCache.inFolder(folder.resolve("spark")).computedBy(engine());
    int[] all = IntStream.range(0, 23).toArray();
    try (Features expected = alone.features(net, images, PER_PART, silent);
        Features found = spark.features(net, images, PER_PART, silent)) {
      assertThat(found.batch(all)).isEqualTo(expected.batch(all));
    }
    String file = features("alone").getName();
    assertThat(folder.resolve("spark").resolve(file))
        .hasBinaryContent(Files.readAllBytes(folder.resolve("alone").resolve(file)));
  }

  @Test
  void partsThatAreThereAreNotComputedAgain() throws Exception {
    Stripes images = new Stripes(1, 23);
    ComputationGraph net = Stripes.net();
    TrainingProgress silent = new TrainingProgress() {};
    features(net, images, silent);
    Path parts = folder.resolve("parts").toFile().listFiles()[0].toPath();
    assertThat(parts.toFile().list((dir, name) -> name.startsWith("part"))).hasSize(5);
    long kept = Files.getLastModifiedTime(parts.resolve("part-00001.bin")).toMillis();
    Files.delete(parts.resolve("part-00003.bin"));
    Files.delete(features("cache").toPath());
    features(net, images, silent);
    assertThat(parts.resolve("part-00003.bin")).exists();
    assertThat(Files.getLastModifiedTime(parts.resolve("part-00001.bin")).toMillis())
        .isEqualTo(kept);
  }

  private File features(String cache) {
    return folder.resolve(cache).toFile().listFiles((dir, name) -> name.endsWith(".bin"))[0];
  }

  private void features(ComputationGraph net, Stripes images, TrainingProgress progress) {
    FeatureCache cache = FeatureCache.inFolder(folder.resolve("cache")).computedBy(engine());
    cache.features(net, images, 4, progress).close();
  }

  private static TrainingPlan plan(Optimizer optimizer) {
    TrainingPlan.Builder plan = plan(2, 1).toBuilder().optimizer(optimizer);
    return optimizer == Optimizer.ADAM
        ? plan.rates(Stage.HEAD, 1e-3).rates(Stage.WHOLE, 1e-3).build()
        : plan.build();
  }

  private static double difference(ComputationGraph net, ComputationGraph from) {
    return net.params().distance2(from.params()) / from.params().norm2Number().doubleValue();
  }

  /** Each worker takes half of each batch, and the sum of their gradients is that of the batch. */
  @ParameterizedTest
  @EnumSource(Optimizer.class)
  void aDividedBatchIsTheStepOfOneMachine(Optimizer optimizer) {
    ComputationGraph alone = Stripes.net();
    trainer(alone, plan(optimizer)).build().train();
    ComputationGraph net = Stripes.net();
    TrainingResult result = onSpark(net, plan(optimizer), engine()).build().train();

    assertThat(difference(net, alone)).isBetween(Double.MIN_VALUE, SAME_STEPS);
    assertThat(difference(net, Stripes.net())).isGreaterThan(10 * SAME_STEPS);
    assertThat(result.history()).hasSize(3);
    assertThat(result.history().get(0).trainingAccuracy()).isBetween(0.0, 1.0);
    assertThat(Stiefel.distanceFromManifold(net.getParam(Stripes.W))).isLessThan(ON_MANIFOLD);
  }

  /** Nothing is lost between rounds, not even the count of steps, by which Adam corrects itself. */
  @ParameterizedTest
  @EnumSource(Optimizer.class)
  void oneWorkerThatIsAveragedIsOneMachine(Optimizer optimizer) {
    ComputationGraph alone = Stripes.net();
    trainer(alone, plan(optimizer)).build().train();
    ComputationGraph net = Stripes.net();
    SparkEngine engine =
        new SparkEngine(cluster.context(), folder.resolve("parts").toUri().toString(), 1);
    onSpark(net, plan(optimizer), engine.averagingEvery(2)).build().train();

    assertThat(difference(net, alone)).isLessThan(SAME_STEPS);
    assertThat(net.getIterationCount()).isEqualTo(alone.getIterationCount());
  }

  @Test
  void lossesOfAllWorkersAddUp() {
    TrainingPlan still =
        plan(1, 0).toBuilder()
            .rates(Stage.HEAD, 0)
            .rate(Stage.HEAD, LayerGroup.CLASSIFIER, 0)
            .build();
    double alone = trainer(Stripes.net(), still).build().train().history().get(0).trainingLoss();
    double spark =
        onSpark(Stripes.net(), still, engine()).build().train().history().get(0).trainingLoss();
    assertThat(spark).isCloseTo(alone, within(1e-5));
  }

  @Test
  void rareAveragingKeepsWOnTheManifold() {
    ComputationGraph net = Stripes.net();
    SparkEngine engine = engine().averagingEvery(3);
    onSpark(net, plan(3, 0), engine).build().train();
    assertThat(Stiefel.distanceFromManifold(net.getParam(Stripes.W))).isLessThan(ON_MANIFOLD);
  }

  @Test
  void numbersThatAreNotFiniteUndoTheEpoch() {
    TrainingPlan wild = plan(2, 0).toBuilder().rates(Stage.HEAD, 1e30).build();
    TrainingResult result = onSpark(Stripes.net(), wild, engine()).build().train();
    assertThat(result.history().get(0).rolledBack()).isTrue();
    assertThat(result.history().get(0).rollbackReason()).contains("NaN or infinity");
  }

  @Test
  void aMasterThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> SparkCluster.connect("spark://localhost:1", "test"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cannot reach the Spark master spark://localhost:1");
  }
}
