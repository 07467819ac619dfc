/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.progress;

import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect.Visibility;

/**
 * The figures of one epoch. Losses are mean cross-entropies, without regularisation; those of the
 * training images are taken while the network learns, and if the classifier is fitted, on images
 * that it was not fitted to. What was not measured is NaN: the training in epoch 0, the validation
 * where there is none, and what an epoch that broke off did not come to.
 */
@JsonAutoDetect(fieldVisibility = Visibility.ANY)
public final class EpochRecord {

  private Stage stage;
  private int epoch;
  private double trainingLoss;
  private double trainingAccuracy;
  private double validationLoss;
  private double validationAccuracy;
  private Map<LayerGroup, Double> rates;
  private double seconds;
  private String rollback;

  private EpochRecord() {} // for JSON

  /**
   * The record of an epoch.
   *
   * @param stage its stage
   * @param epoch its number
   * @param training what the network made of the training images
   * @param validation what it made of the validation images afterwards
   * @param rates the learning rates
   * @param seconds how long it took
   * @param rollback why it was undone; null if it was not
   */
  public EpochRecord(
      Stage stage,
      int epoch,
      LossAndAccuracy training,
      LossAndAccuracy validation,
      Map<LayerGroup, Double> rates,
      double seconds,
      String rollback) {
    Objects.requireNonNull(stage, "stage");
    Objects.requireNonNull(training, "training");
    Objects.requireNonNull(validation, "validation");
    Objects.requireNonNull(rates, "rates");
    this.stage = stage;
    this.epoch = epoch;
    this.trainingLoss = training.loss();
    this.trainingAccuracy = training.accuracy();
    this.validationLoss = validation.loss();
    this.validationAccuracy = validation.accuracy();
    this.rates = rates;
    this.seconds = seconds;
    this.rollback = rollback;
  }

  /**
   * The stage.
   *
   * @return the stage this epoch belongs to
   */
  public Stage stage() {
    return stage;
  }

  /**
   * The number of the epoch within its stage. Epochs that were rolled back count.
   *
   * @return 1, 2, …, or 0 for the head before it learnt anything
   */
  public int epoch() {
    return epoch;
  }

  /**
   * The mean loss of the training images.
   *
   * @return the loss
   */
  public double trainingLoss() {
    return trainingLoss;
  }

  /**
   * The share of training images that were classified rightly.
   *
   * @return 0 … 1
   */
  public double trainingAccuracy() {
    return trainingAccuracy;
  }

  /**
   * The mean loss of the validation images after the epoch.
   *
   * @return the loss
   */
  public double validationLoss() {
    return validationLoss;
  }

  /**
   * The share of validation images that are classified rightly after the epoch.
   *
   * @return 0 … 1
   */
  public double validationAccuracy() {
    return validationAccuracy;
  }

  /**
   * The learning rates; that of a fitted classifier is 0.
   *
   * @return rates by group of layers; none in epoch 0
   */
  public Map<LayerGroup, Double> rates() {
    return Collections.unmodifiableMap(rates);
  }

  /**
   * How long the epoch took, with validation.
   *
   * @return seconds
   */
  public double seconds() {
    return seconds;
  }

  /**
   * Whether the epoch was undone.
   *
   * @return true if its weights were dropped
   */
  public boolean rolledBack() {
    return rollback != null;
  }

  /**
   * Why the epoch was undone.
   *
   * @return the reason, or an empty string
   */
  public String rollbackReason() {
    return rollback == null ? "" : rollback;
  }

  /** Stage, number, figures and rates of the epoch on one line. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "EpochRecord[stage=%s, epoch=%d, training: loss=%.4g accuracy=%.4g, validation: loss=%.4g"
            + " accuracy=%.4g, rates=%s, seconds=%.1f%s]",
        stage,
        epoch,
        trainingLoss,
        trainingAccuracy,
        validationLoss,
        validationAccuracy,
        rates,
        seconds,
        rolledBack() ? ", undone: " + rollback : "");
  }
}
