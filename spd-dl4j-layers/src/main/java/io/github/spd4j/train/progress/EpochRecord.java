/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.progress;

import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * The figures of one epoch. Losses are mean cross-entropies, without regularisation; those of the
 * training images are taken while the network learns, and if the classifier is fitted, on images
 * that it was not fitted to. What was not measured is NaN: the training in epoch 0, the validation
 * where there is none, and what an epoch that broke off did not come to.
 */
public final class EpochRecord {

  @JsonProperty private final Stage stage;
  @JsonProperty private final int epoch;
  @JsonProperty private final double trainingLoss;
  @JsonProperty private final double trainingAccuracy;
  @JsonProperty private final double validationLoss;
  @JsonProperty private final double validationAccuracy;
  @JsonProperty private final Map<LayerGroup, Double> rates;
  @JsonProperty private final double seconds;
  @JsonProperty private final String rollback;

  @JsonCreator
  public EpochRecord(
      @JsonProperty("stage") Stage stage,
      @JsonProperty("epoch") int epoch,
      @JsonProperty("trainingLoss") double trainingLoss,
      @JsonProperty("trainingAccuracy") double trainingAccuracy,
      @JsonProperty("validationLoss") double validationLoss,
      @JsonProperty("validationAccuracy") double validationAccuracy,
      @JsonProperty("rates") Map<LayerGroup, Double> rates,
      @JsonProperty("seconds") double seconds,
      @JsonProperty("rollback") String rollback) {
    this.stage = stage;
    this.epoch = epoch;
    this.trainingLoss = trainingLoss;
    this.trainingAccuracy = trainingAccuracy;
    this.validationLoss = validationLoss;
    this.validationAccuracy = validationAccuracy;
    this.rates = Collections.unmodifiableMap(copy(rates));
    this.seconds = seconds;
    this.rollback = rollback;
  }

  private static Map<LayerGroup, Double> copy(Map<LayerGroup, Double> rates) {
    Map<LayerGroup, Double> copy =
        new EnumMap<>(LayerGroup.class); // whose copies of empty maps fail
    copy.putAll(rates);
    return copy;
  }

  public EpochRecord rolledBackBecause(String reason) {
    return new EpochRecord(
        stage,
        epoch,
        trainingLoss,
        trainingAccuracy,
        validationLoss,
        validationAccuracy,
        rates,
        seconds,
        reason);
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
   * The learning rates of the parts; that of a fitted classifier is 0.
   *
   * @return rates by part; none in epoch 0
   */
  public Map<LayerGroup, Double> rates() {
    return rates;
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
}
