/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.progress;

import io.github.spd4j.train.plan.Stage;
import java.util.List;

/**
 * Is told how training goes on. All calls come from the training thread, and an exception that a
 * method throws ends the training; what was saved can be resumed.
 */
public interface TrainingProgress {

  /**
   * A training begins, or goes on after an interruption.
   *
   * @param phases what it consists of, one numbered line for each phase of both stages
   */
  default void planned(List<String> phases) {}

  /**
   * Features of the frozen backbone are being computed or read.
   *
   * @param done images that are done
   * @param total all images of the set
   */
  default void featuresDone(int done, int total) {}

  /**
   * A stage begins, or goes on after an interruption.
   *
   * @param stage the stage
   * @param epochs the most epochs it can have
   * @param imagesPerEpoch the images of an epoch
   */
  default void stageStarted(Stage stage, int epochs, int imagesPerEpoch) {}

  /**
   * The stage that has just started goes on after an interruption.
   *
   * @param epochsDone its epochs that were done before
   */
  default void stageResumed(int epochsDone) {}

  /**
   * A batch was learnt.
   *
   * @param images images of this epoch that are done
   * @param loss the mean loss of this epoch so far
   * @param accuracy the accuracy of this epoch so far
   */
  default void batchDone(int images, double loss, double accuracy) {}

  /**
   * The classifier is being fitted in closed form.
   *
   * @param done images that are done; solving the equations counts as every image once more
   * @param total all of them, as often as the fit needs them: more than once if there is not enough
   *     memory to keep what the network makes of them
   */
  default void fitDone(long done, long total) {}

  /**
   * An epoch is over, and saved if there is a folder to save it in; epoch 0, in which only the
   * classifier is fitted, is saved with the next.
   *
   * @param record its figures
   */
  default void epochDone(EpochRecord record) {}

  /**
   * Something the user should know: a resumed training, a cut of the rate, a rollback, another
   * process that is waited for.
   *
   * @param text one line
   */
  default void message(String text) {}
}
