/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.UserException;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.train.TwoStageTrainer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The model that a command is given. */
public final class TrainedModel {

  private TrainedModel() {}

  /**
   * Reads a model.
   *
   * @param place a run's folder or its model file
   * @return the classifier
   * @throws UserException if there is none, or none that can be read
   */
  public static ImageClassifier load(Path place) {
    requireOne(place);
    try {
      return ImageClassifier.load(place);
    } catch (IOException e) {
      throw new UserException("expected a trained model, got " + e.getMessage(), e);
    }
  }

  /** The folder of many runs is a likely mistake. */
  private static void requireOne(Path place) {
    if (Files.isDirectory(place) && !Files.exists(place.resolve(TwoStageTrainer.MODEL))) {
      try (Stream<Path> files = Files.list(place)) {
        files
            .filter(run -> Files.exists(run.resolve(TwoStageTrainer.MODEL)))
            .sorted()
            .findFirst()
            .ifPresent(
                run -> {
                  throw new UserException(
                      "expected the folder of one run, got that of several; choose one of them,"
                          + " such as "
                          + run);
                });
      } catch (IOException e) {
        throw new UncheckedIOException("cannot list " + place, e);
      }
    }
  }
}
