/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import java.util.Optional;
import java.util.OptionalDouble;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect.Visibility;
import org.nd4j.shade.jackson.annotation.JsonSubTypes;
import org.nd4j.shade.jackson.annotation.JsonTypeInfo;

/**
 * How the rates change over the epochs of a stage, and when the stage is over.
 *
 * <p>Immutable: every epoch gives a new value. There are two, {@link UntilLearnt} and {@link
 * Plateau}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
  @JsonSubTypes.Type(value = UntilLearnt.class, name = "untilLearnt"),
  @JsonSubTypes.Type(value = Plateau.class, name = "plateau")
})
@JsonAutoDetect(
    fieldVisibility = Visibility.ANY,
    getterVisibility = Visibility.NONE,
    isGetterVisibility = Visibility.NONE)
public abstract class Schedule {

  /** Only for those of this package, whose state a checkpoint holds. */
  Schedule() {}

  /**
   * The schedule after one more epoch, which was not undone.
   *
   * @param epoch its number, from 1
   * @param most the most epochs of the stage
   * @param learnt the share of the training images that it had right; NaN if it did not learn
   * @param error the share of the validation images that it had wrong, if there are any
   * @return what follows
   */
  public abstract Schedule after(int epoch, int most, double learnt, OptionalDouble error);

  /**
   * What the rates of the next epoch are multiplied by.
   *
   * @return a factor, at most 1
   */
  public abstract double rateFactor();

  /**
   * Whether nothing more is to be expected of the stage.
   *
   * @return true if it ends before it had all its epochs
   */
  public abstract boolean isOver();

  /**
   * What changed with the last epoch, for people.
   *
   * @return why rates fall from here on, if they begin to
   */
  public abstract Optional<String> news();
}
