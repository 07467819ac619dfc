/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.cli.Main;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.ImageCheck;
import io.github.spd4j.experiments.BackboneChoice;
import io.github.spd4j.experiments.Experiment;
import io.github.spd4j.experiments.ExperimentKind;
import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.Platform;
import io.github.spd4j.experiments.RunQueue;
import io.github.spd4j.experiments.RunResult;
import io.github.spd4j.images.Views;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.plan.Stage;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command on executors that are processes of their own. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ProcessesTest {

  private static final String TWO_EXECUTORS = "local-cluster[2,1,2048]";
  private static final String ONE_EXECUTOR = "local-cluster[1,1,2048]";
  private static final String QUICK = System.getProperty("spd4j.tests.jvm");
  private static final double ON_MANIFOLD = 1e-5;
  private static final double ONE_POINT = 0.01;
  private static final double GUESS = 0.25;
  private static final double STANDARD_ERROR = Math.sqrt(GUESS * (1 - GUESS) / 100);
  private static final String RUN = "dtd_split1_spd_seed1";

  /** A file system of Hadoop's that shows the folder of the textures under another path. */
  private static final String MOUNT = "spark.hadoop.fs.viewfs.mounttable.test.link./textures";

  private static final String MOUNTED = "viewfs://test/textures";

  @TempDir static Path data;
  @TempDir Path out;

  @BeforeAll
  static void write() throws Exception {
    TextureFolder.write(data, 4, 76, 48); // 100 of these test
    System.setProperty("spark.ui.enabled", "false");
    System.setProperty("spark.executor.extraJavaOptions", QUICK);
    System.setProperty(MOUNT, data.toUri().toString());
  }

  @AfterAll
  static void forget() {
    System.clearProperty("spark.executor.extraJavaOptions");
    System.clearProperty(MOUNT);
  }

  private static ExperimentSettings settings(Path out) {
    ExperimentSettings settings = new ExperimentSettings();
    settings.out = out;
    settings.backbone = "random";
    settings.training.headEpochs = 2;
    settings.training.wholeEpochs = 1;
    settings.training.batch = 64;
    settings.head.transform = 12;
    settings.trainingViews = Views.PLAIN;
    settings.testViews = Views.PLAIN;
    return settings;
  }

  private static RunResult run(ExperimentSettings settings, Platform platform, Watch watch) {
    String root = settings.cluster.master == null ? data.toString() : MOUNTED;
    ImageCheck check = platform.check(DataSetKind.DTD.read(platform.path(root)), done -> {});
    assertThat(check.skipped()).hasSize(1).first().asString().contains("damaged.png");
    Experiment experiment =
        new Experiment(
            DataSetKind.DTD,
            check,
            BackboneChoice.of("random").load(ExperimentKind.TEXTURE, null, null),
            settings,
            platform,
            name -> watch);
    return new RunQueue(settings, List.of(experiment)).run().get(0);
  }

  /**
   * A driver is killed after its first checkpoint; another goes on from there, loses an executor in
   * the middle of an epoch, and ends where one machine ends.
   */
  @Test
  void survivesItsProcessesAndEndsWhereOneMachineEnds() throws Exception {
    Path alone = out.resolve("alone");
    CompletableFuture<RunResult> meanwhile =
        CompletableFuture.supplyAsync(
            () -> run(settings(alone), Platform.local(), new Watch(alone.resolve(RUN), null)));
    Path run = out.resolve("spark").resolve(RUN);
    killADriverAfterItsFirstCheckpoint(run);
    RunResult one = meanwhile.join();
    assertThat(Watch.distance(run.resolve(TwoStageTrainer.CHECKPOINT))).isLessThan(ON_MANIFOLD);

    ExperimentSettings settings = settings(out.resolve("spark"));
    settings.cluster.master = TWO_EXECUTORS;
    Watch watch = new Watch(run, ProcessesTest::killAnExecutor);
    RunResult spark;
    try (Platform platform = new SparkPlatformProvider().connect(settings.cluster, settings.out)) {
      spark = run(settings, platform, watch);
    }
    assertThat(watch.messages).anyMatch(text -> text.startsWith("Training goes on after epoch"));
    assertThat(watch.epochs.get(0).epoch()).isGreaterThan(1);
    assertThat(watch.epochs.get(watch.epochs.size() - 1).stage()).isEqualTo(Stage.WHOLE);
    assertThat(watch.distances)
        .hasSameSizeAs(watch.epochs)
        .allSatisfy(distance -> assertThat(distance).isLessThan(ON_MANIFOLD));
    assertThat(Watch.distance(run.resolve(TwoStageTrainer.MODEL))).isLessThan(ON_MANIFOLD);

    assertThat(spark.test().accuracy()).isCloseTo(one.test().accuracy(), within(ONE_POINT));
    assertThat(one.test().accuracy()).isGreaterThan(GUESS + 3 * STANDARD_ERROR);
  }

  private void killADriverAfterItsFirstCheckpoint(Path run) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(System.getProperty("spd4j.spark.jvm").split(" ")));
    command.addAll(List.of(QUICK.split(" ")));
    command.addAll(
        List.of(
            "-Xmx512m",
            "-Dspark.executor.extraJavaOptions=" + QUICK,
            "-Dspark.ui.enabled=false",
            "-D" + MOUNT + "=" + data.toUri(),
            "-cp",
            System.getProperty("java.class.path")));
    command.addAll(List.of(Main.class.getName(), "texture", "dtd", MOUNTED));
    command.addAll(List.of("--spark", ONE_EXECUTOR, "--backbone", "random"));
    command.addAll(List.of("--epochs-head", "2", "--epochs-whole", "1", "--batch", "64"));
    command.addAll(List.of("--transform", "12", "--training-views", "PLAIN"));
    command.addAll(List.of("--test-views", "PLAIN", "--out", out.resolve("spark").toString()));
    File log = out.resolve("driver.log").toFile();
    Process driver =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
    try {
      while (!Files.exists(run.resolve(TwoStageTrainer.CHECKPOINT))) {
        assertThat(driver.isAlive()).withFailMessage(() -> read(log)).isTrue();
        Thread.sleep(50);
      }
    } finally {
      List<ProcessHandle> executors = new ArrayList<>();
      driver.descendants().forEach(executors::add);
      driver.destroyForcibly().waitFor();
      assertThat(executors).isNotEmpty();
      executors.forEach(ProcessHandle::destroyForcibly);
    }
  }

  private static String read(File log) {
    try {
      return Files.readString(log.toPath());
    } catch (java.io.IOException e) {
      return e.toString();
    }
  }

  /** This process has no other children. */
  private static void killAnExecutor() {
    ProcessHandle executor = ProcessHandle.current().children().findFirst().orElseThrow();
    assertThat(executor.destroyForcibly()).isTrue();
  }
}
