/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import io.github.spd4j.datasets.DataSetKind;
import java.nio.file.Path;
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

  /**
   * Reads a file.
   *
   * @param file the {@code result.json} of a run
   * @return the result
   * @throws io.github.spd4j.experiments.Mistake if it is no such file
   */
  public static RunResult read(Path file) {
    RunResult result = Json.read(file, RunResult.class);
    if (result.method == null || result.dataSet == null) {
      throw new io.github.spd4j.experiments.Mistake(
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
   * @return where chance came from
   */
  public long seed() {
    return seed;
  }

  /**
   * The share of test images that were answered rightly.
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
