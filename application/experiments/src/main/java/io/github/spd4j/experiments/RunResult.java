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
 * @param method the method
 * @param dataSet the kind of the data set
 * @param dataSetName the name of its folder
 * @param partition what tells the partition from others of the data set
 * @param seed the seed of the training
 * @param accuracy the share of test images that were classified correctly
 * @param meanClassAccuracy the mean of that share over the classes
 * @param accuracyByClass that share by name of the class
 * @param quality what else the test images tell
 * @param validationAccuracy that of the best epoch, NaN without validation
 * @param bestEpoch stage and number of the best epoch
 * @param counts how many there are of classes, and of images for training, validation and test
 * @param modelBytes the size of the model file
 * @param seconds what took how long: {@code epochs} and {@code test}, and {@code all} from the
 *     beginning to the end of the test. A run that was interrupted counts all its parts, each up to
 *     its last checkpoint. {@code image} is one image from its file to its answer, one at a time.
 * @param finished when the run ended
 * @param settings all that the result depends on, by name
 * @param environment versions, commit and machine
 * @param search the accuracies of what was tried, fold by fold
 * @param epochs what is known of each epoch
 * @param skipped damaged images that were left out of the data set, a line for each
 * @param files the SHA-256 of what else the run left, by name
 */
public record RunResult(
    int version,
    Method method,
    DataSetKind dataSet,
    String dataSetName,
    String partition,
    long seed,
    double accuracy,
    double meanClassAccuracy,
    Map<String, Double> accuracyByClass,
    TestQuality quality,
    double validationAccuracy,
    String bestEpoch,
    Map<String, Integer> counts,
    long modelBytes,
    Map<String, Double> seconds,
    String finished,
    Map<String, String> settings,
    Map<String, String> environment,
    Map<String, List<Double>> search,
    List<Map<String, Object>> epochs,
    List<String> skipped,
    Map<String, String> files) {

  /** The name of the file. */
  public static final String FILE = "result.json";

  private static final int VERSION = 1;

  private static final String REMEDY = "delete it to run again";

  /** The result of a run with these settings, after this search, which left these files. */
  static RunResult of(
      Run run,
      TrainingResult training,
      Predictions predictions,
      long modelBytes,
      Map<String, Double> seconds,
      Map<String, String> settings,
      Map<String, List<Double>> search,
      Map<String, String> files) {
    Experiment experiment = run.experiment;
    Map<String, Double> accuracyByClass = predictions.accuracyByClass();
    return new RunResult(
        VERSION,
        run.method,
        experiment.dataSet,
        experiment.set.name(),
        run.partition.name(),
        run.seed,
        predictions.accuracy(),
        Search.mean(accuracyByClass.values()),
        accuracyByClass,
        TestQuality.of(predictions),
        training.bestAccuracy(),
        training.best().stage() + " " + training.best().epoch(),
        counts(run),
        modelBytes,
        seconds,
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        settings,
        Environment.describe(),
        search,
        training.history().stream().map(RunResult::epoch).toList(),
        experiment.skipped,
        files);
  }

  private static Map<String, Integer> counts(Run run) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    counts.put("classes", run.partition.classes().size());
    counts.put("images", run.experiment.set.images().size());
    counts.put("skipped", run.experiment.skipped.size());
    counts.put("training", run.partition.training().size());
    counts.put("validation", run.partition.validation().size());
    counts.put("test", run.partition.test().size());
    return counts;
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

  /**
   * Reads a file.
   *
   * @param file the {@code result.json} of a run
   * @return the result
   * @throws UserException if it is no such file, or damaged
   */
  public static RunResult read(Path file) {
    RunResult result = Json.kept(file, new TypeReference<>() {}, "", REMEDY);
    if (result.version != VERSION || result.method == null || result.dataSet == null) {
      throw new UserException(
          "%s: expected the result of a run in format %d, with a method and a data set; %s"
              .formatted(file, VERSION, REMEDY));
    }
    return result;
  }

  /**
   * The accuracy and how well it is known.
   *
   * @return a sentence without its full stop
   */
  public String verdict() {
    if (Double.isNaN(accuracy)) {
      return "Trained on all %d images, so that there is no test accuracy"
          .formatted(counts.get("training"));
    }
    int test = counts.get("test");
    Interval interval = Interval.of((int) Math.round(accuracy * test), test);
    return String.format(
        Locale.ROOT,
        "%.1f %% of %d test images right (95 %% confidence: %s)",
        100 * accuracy,
        test,
        interval);
  }

  /**
   * The images that the run was made with.
   *
   * @return the partition, and the seed of what is random about it
   */
  public String place() {
    String split = "split " + settings.get("split");
    return partition.equals("seed " + settings.get("split")) ? split : partition + ", " + split;
  }
}
