/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.Partition;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.progress.EpochRecord;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Puts together the result of a run. */
final class Summary {

  private final Run run;
  private final TrainingResult training;
  private final Predictions predictions;

  Summary(Run run, TrainingResult training, Predictions predictions) {
    this.run = run;
    this.training = training;
    this.predictions = predictions;
  }

  RunResult result(Map<String, String> settings) {
    RunResult result = new RunResult();
    result.method = run.method;
    result.dataSet = run.experiment.kind;
    result.dataSetName = run.experiment.set.name();
    result.partition = run.partition.name();
    result.seed = run.seed;
    result.accuracy = predictions.accuracy();
    result.accuracyByClass = predictions.accuracyByClass();
    result.meanClassAccuracy =
        result.accuracyByClass.values().stream().mapToDouble(x -> x).average().orElse(Double.NaN);
    result.validationAccuracy = training.bestAccuracy();
    result.bestEpoch = training.best().stage() + " " + training.best().epoch();
    result.counts = counts();
    result.seconds.put(
        "epochs", training.history().stream().mapToDouble(EpochRecord::seconds).sum());
    result.finished = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    result.settings = settings;
    result.environment = Environment.describe();
    result.epochs = epochs(training.history());
    result.skipped = run.experiment.skipped;
    return result;
  }

  private Map<String, Integer> counts() {
    Partition partition = run.partition;
    Map<String, Integer> counts = new LinkedHashMap<>();
    counts.put("classes", partition.classes().size());
    counts.put("images", run.experiment.set.images().size());
    counts.put("skipped", run.experiment.skipped.size());
    counts.put("training", partition.training().size());
    counts.put("validation", partition.validation().size());
    counts.put("test", partition.test().size());
    return counts;
  }

  private static List<Map<String, Object>> epochs(List<EpochRecord> history) {
    return history.stream().map(Summary::epoch).collect(Collectors.toList());
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
