/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.nd4j.shade.jackson.core.JsonProcessingException;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** The outcome of a training. */
public final class TrainingResult {

  private final List<EpochRecord> history;
  private final Optional<EpochRecord> best;
  private final boolean resumed;

  TrainingResult(List<EpochRecord> history, Optional<EpochRecord> best, boolean resumed) {
    this.history = List.copyOf(history);
    this.best = best;
    this.resumed = resumed;
  }

  /**
   * Every epoch of both stages, with those before an interruption and those that were rolled back.
   *
   * @return the epochs in order
   */
  public List<EpochRecord> history() {
    return history;
  }

  /**
   * The epochs of one stage.
   *
   * @param stage the stage
   * @return its epochs in order
   */
  public List<EpochRecord> history(Stage stage) {
    return history.stream().filter(r -> r.stage() == stage).collect(Collectors.toList());
  }

  /**
   * The epochs that were undone.
   *
   * @return those epochs in order
   */
  public List<EpochRecord> rollbacks() {
    return history.stream().filter(EpochRecord::rolledBack).collect(Collectors.toList());
  }

  /**
   * The epoch with the best validation accuracy.
   *
   * @return its figures
   */
  public EpochRecord best() {
    return best.orElseThrow();
  }

  /**
   * The best validation accuracy.
   *
   * @return 0 … 1
   */
  public double bestAccuracy() {
    return best.map(EpochRecord::validationAccuracy).orElse(Double.NaN);
  }

  /**
   * Whether the training went on from a checkpoint.
   *
   * @return false if it began anew
   */
  public boolean resumed() {
    return resumed;
  }

  /**
   * The history as JSON: an array with an object for each epoch.
   *
   * @return JSON
   */
  public String historyJson() {
    try {
      return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(history);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("records of epochs are always written", e);
    }
  }
}
