/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.nd4j.shade.jackson.core.JsonProcessingException;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** The outcome of a training. */
public final class TrainingResult {

  private final List<EpochRecord> history;
  private final Optional<EpochRecord> best;
  private final List<String> notes;
  private final boolean resumed;

  TrainingResult(
      List<EpochRecord> history, Optional<EpochRecord> best, List<String> notes, boolean resumed) {
    this.history = List.copyOf(history);
    this.best = best;
    this.notes = List.copyOf(notes);
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
   * What the weights alone do not tell: images that the classifier was not fitted to, images that
   * were held out, and a fitted classifier that was dropped because the learnt one is better.
   *
   * @return lines for people; none if there is nothing to tell
   */
  public List<String> notes() {
    return notes;
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

  /** The epochs, the best one, and the notes. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("TrainingResult(");
    for (Stage stage : Stage.values()) {
      text.append(String.format("%s: %d records, ", stage, history(stage).size()));
    }
    text.append(String.format("rolled back: %d, ", rollbacks().size()));
    best.ifPresent(
        record ->
            text.append(
                String.format(
                    Locale.ROOT,
                    "best: %s %d with validation accuracy %.4f, ",
                    record.stage(),
                    record.epoch(),
                    record.validationAccuracy())));
    text.append("resumed: ").append(resumed);
    notes.forEach(note -> text.append(", ").append(note));
    return text.append(')').toString();
  }
}
