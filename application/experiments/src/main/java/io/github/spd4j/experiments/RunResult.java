/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import com.fasterxml.jackson.core.type.TypeReference;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.progress.EpochRecord;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The result of one run: the content of its {@code result.json}.
 *
 * @param version of the file's format
 * @param run what was run
 * @param settings all that the result depends on, by name
 * @param images how many images there were
 * @param training what is known of the training
 * @param test what the test images tell
 * @param execution when and where it ran, and how long
 * @param files what else the run left
 */
public record RunResult(
    int version,
    Identity run,
    Map<String, String> settings,
    Images images,
    Training training,
    TestFigures test,
    Execution execution,
    Files files) {

  /** The name of the file. */
  public static final String FILE = "result.json";

  private static final int VERSION = 1;

  private static final String REMEDY = "delete it to run again";

  /**
   * What tells a run from others.
   *
   * @param method the method
   * @param dataSet the kind of the data set
   * @param dataSetName the name of its folder
   * @param partition what tells the partition from others of the data set
   * @param seed the seed of the training
   */
  public record Identity(
      Method method, DataSetKind dataSet, String dataSetName, String partition, long seed) {}

  /**
   * How many images there were.
   *
   * @param classes how many classes
   * @param all how many in the data set, apart from those that were left out
   * @param training how many to train on
   * @param validation how many to watch the training with
   * @param test how many to test
   * @param skipped damaged images that were left out of the data set, a line for each
   */
  public record Images(
      int classes, int all, int training, int validation, int test, List<String> skipped) {}

  /**
   * What is known of the training.
   *
   * @param validationAccuracy that of the best epoch, NaN without validation
   * @param bestEpoch stage and number of the best epoch
   * @param search the accuracies of what was tried, fold by fold
   * @param epochs what is known of each epoch
   */
  public record Training(
      double validationAccuracy,
      String bestEpoch,
      Map<String, List<Double>> search,
      List<Map<String, Object>> epochs) {

    static Training of(TrainingResult training, Map<String, List<Double>> search) {
      return new Training(
          training.bestAccuracy(),
          training.best().stage() + " " + training.best().epoch(),
          search,
          training.history().stream().map(Training::epoch).toList());
    }

    private static Map<String, Object> epoch(EpochRecord record) {
      Map<String, Object> epoch = new LinkedHashMap<>();
      epoch.put("stage", record.stage().name());
      epoch.put("epoch", record.epoch());
      epoch.put("trainingLoss", record.trainingLoss());
      epoch.put("trainingAccuracy", record.trainingAccuracy());
      epoch.put("validationLoss", record.validationLoss());
      epoch.put("validationAccuracy", record.validationAccuracy());
      epoch.put("rates", record.rates());
      epoch.put("seconds", record.seconds());
      epoch.put("rollback", record.rollbackReason());
      return epoch;
    }
  }

  /**
   * When and where it ran, and how long.
   *
   * @param finished when the run ended
   * @param seconds what took how long
   * @param environment versions, commit and machine
   */
  public record Execution(String finished, Seconds seconds, Map<String, String> environment) {

    static Execution now(Seconds seconds) {
      String end = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
      return new Execution(end, seconds, Environment.describe());
    }
  }

  /**
   * What took how long, in seconds.
   *
   * @param all from the beginning to the end of the test. A run that was interrupted counts all its
   *     parts, each up to its last checkpoint.
   * @param epochs the epochs of the training
   * @param test the test
   * @param image one image from its file to its answer, one at a time
   */
  public record Seconds(double all, double epochs, double test, double image) {}

  /**
   * What else the run left.
   *
   * @param modelBytes the size of the model file
   * @param digests the SHA-256 of each file, by name
   */
  public record Files(long modelBytes, Map<String, String> digests) {}

  /** The result of a run with these settings. */
  static RunResult of(
      Run run,
      Map<String, String> settings,
      Training training,
      Predictions predictions,
      Seconds seconds,
      Files files) {
    Experiment experiment = run.experiment;
    Identity identity =
        new Identity(
            run.method, experiment.dataSet, experiment.set.name(), run.partition.name(), run.seed);
    Images images =
        new Images(
            run.partition.classes().size(),
            experiment.set.images().size(),
            run.partition.training().size(),
            run.partition.validation().size(),
            run.partition.test().size(),
            experiment.skipped);
    return new RunResult(
        VERSION,
        identity,
        settings,
        images,
        training,
        TestFigures.of(predictions),
        Execution.now(seconds),
        files);
  }

  /**
   * Refuses a file that is not the one that the run in its folder has made.
   *
   * @param file the model file or another that a run leaves, in its folder
   * @throws UserException if the result beside it is of another one, or is damaged
   */
  public static void requireOwn(Path file) {
    Path result = file.resolveSibling(FILE);
    if (java.nio.file.Files.exists(result)) {
      String expected = read(result).files().digests().get(file.getFileName().toString());
      if (expected != null && !expected.equals(RunFolder.digest(file))) {
        throw new UserException(
            "%s: its checksum is not that in %s: it is damaged, was edited, or is of another run;"
                    .formatted(file, FILE)
                + " move it to a folder of its own, or train again");
      }
    }
  }

  /**
   * Reads a file.
   *
   * @param file the {@code result.json} of a run
   * @return the result
   * @throws UserException if it is no such file, or damaged
   */
  public static RunResult read(Path file) {
    RunResult result = Json.kept(file, new TypeReference<>() {}, "", REMEDY);
    if (result.version != VERSION || !result.isComplete()) {
      throw new UserException(
          "%s: expected the result of a run in format %d, with a method and a data set; %s"
              .formatted(file, VERSION, REMEDY));
    }
    return result;
  }

  private boolean isComplete() {
    return run != null
        && run.method != null
        && run.dataSet != null
        && settings != null
        && images != null
        && training != null
        && test != null
        && execution != null
        && files != null;
  }

  /**
   * The accuracy and how well it is known.
   *
   * @return a sentence without its full stop
   */
  public String verdict() {
    if (images.test == 0) {
      return "Trained on all %d images, so that there is no test accuracy"
          .formatted(images.training);
    }
    Interval interval = Interval.of((int) Math.round(test.accuracy() * images.test), images.test);
    return String.format(
        Locale.ROOT,
        "%.1f %% of %d test images right (95 %% confidence: %s)",
        100 * test.accuracy(),
        images.test,
        interval);
  }

  /**
   * Which images the run was tested with.
   *
   * @return how they were chosen
   */
  public String place() {
    String split = settings.get("split");
    boolean random = run.partition.equals("seed " + split);
    return random
        ? "drawn at random with seed " + split
        : run.partition + ", with validation images drawn with seed " + split;
  }
}
