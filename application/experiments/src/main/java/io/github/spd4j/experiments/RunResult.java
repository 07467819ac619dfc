/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.progress.EpochRecord;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What came of one run: the content of its {@code result.json}. */
@JsonAutoDetect(
    fieldVisibility = Visibility.ANY,
    getterVisibility = Visibility.NONE,
    isGetterVisibility = Visibility.NONE)
public final class RunResult {

  int version = 1;
  Method method;
  DataSetKind dataSet;
  String dataSetName;
  String partition;
  long seed;
  double accuracy;
  double meanClassAccuracy;
  Map<String, Double> accuracyByClass = new LinkedHashMap<>();
  double validationAccuracy;
  String bestEpoch;
  Map<String, Integer> counts = new LinkedHashMap<>();
  Map<String, Double> seconds = new LinkedHashMap<>();
  String finished;
  Map<String, String> settings = new LinkedHashMap<>();
  Map<String, String> environment = new LinkedHashMap<>();
  Map<String, List<Double>> search = new LinkedHashMap<>();
  List<Map<String, Object>> epochs = List.of();
  List<String> skipped = List.of();

  RunResult() {}

  /** The result of a run; its settings, its search and its total time are added later. */
  static RunResult of(Run run, TrainingResult training, Predictions predictions) {
    Experiment experiment = run.experiment;
    RunResult result = new RunResult();
    result.method = run.method;
    result.dataSet = experiment.dataSet;
    result.dataSetName = experiment.set.name();
    result.partition = run.partition.name();
    result.seed = run.seed;
    result.accuracy = predictions.accuracy();
    result.accuracyByClass = predictions.accuracyByClass();
    result.meanClassAccuracy = Search.mean(result.accuracyByClass.values());
    result.validationAccuracy = training.bestAccuracy();
    result.bestEpoch = training.best().stage() + " " + training.best().epoch();
    result.counts.put("classes", run.partition.classes().size());
    result.counts.put("images", experiment.set.images().size());
    result.counts.put("skipped", experiment.skipped.size());
    result.counts.put("training", run.partition.training().size());
    result.counts.put("validation", run.partition.validation().size());
    result.counts.put("test", run.partition.test().size());
    result.seconds.put(
        "epochs", training.history().stream().mapToDouble(EpochRecord::seconds).sum());
    result.finished = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    result.environment = Environment.describe();
    result.epochs = training.history().stream().map(RunResult::epoch).toList();
    result.skipped = experiment.skipped;
    return result;
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
   * @throws UserException if it is no such file
   */
  public static RunResult read(Path file) {
    RunResult result = Json.read(file, RunResult.class);
    if (result.method == null || result.dataSet == null) {
      throw new UserException(
          file + ": expected the result of a run, got JSON without a method or a data set");
    }
    return result;
  }

  /**
   * The method.
   *
   * @return one of the paper's
   */
  public Method method() {
    return method;
  }

  /**
   * The data set.
   *
   * @return its kind
   */
  public DataSetKind dataSet() {
    return dataSet;
  }

  /**
   * The name of the partition.
   *
   * @return what tells it from others of the data set
   */
  public String partition() {
    return partition;
  }

  /**
   * The seed.
   *
   * @return the seed of the training
   */
  public long seed() {
    return seed;
  }

  /**
   * The share of test images that were classified correctly.
   *
   * @return 0 … 1
   */
  public double accuracy() {
    return accuracy;
  }

  /**
   * That share for each class.
   *
   * @return 0 … 1 by name of the class
   */
  public Map<String, Double> accuracyByClass() {
    return accuracyByClass;
  }

  /**
   * How many there are of classes, and of images for training, validation and test.
   *
   * @return numbers by name
   */
  public Map<String, Integer> counts() {
    return counts;
  }

  /**
   * What took how long: {@code epochs} and {@code test}, and {@code all} from the beginning to the
   * end of the test. A run that was interrupted counts all its parts, each up to its last
   * checkpoint.
   *
   * @return seconds by name
   */
  public Map<String, Double> seconds() {
    return seconds;
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

  /**
   * All that the result depends on.
   *
   * @return settings by name
   */
  public Map<String, String> settings() {
    return settings;
  }

  /**
   * Versions, commit and machine.
   *
   * @return entries by name
   */
  public Map<String, String> environment() {
    return environment;
  }

  /**
   * Damaged images that were left out of the data set.
   *
   * @return a line for each
   */
  public List<String> skipped() {
    return skipped;
  }
}
