/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.RunResult;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.models.Engine;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.reports.Printable;
import io.github.spd4j.train.TwoStageTrainer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.deeplearning4j.exception.DL4JException;
import org.nd4j.linalg.exception.ND4JException;

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
    return load(place, Engine.AUTO);
  }

  /**
   * Reads a model whose answers an engine computes.
   *
   * @param place a run's folder or its model file
   * @param engine what computes the answers
   * @return the classifier
   * @throws UserException if there is none, none that can be read, or no such engine
   */
  public static ImageClassifier load(Path place, Engine engine) {
    file(place);
    try {
      return ImageClassifier.load(place, engine);
    } catch (IllegalStateException e) {
      throw new UserException("--engine: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new UserException("expected a trained model, got " + e.getMessage(), e);
    }
  }

  /** The model file of a place; it may not be there, but is no other run's. */
  static Path file(Path place) {
    requireOne(place);
    Path file = Files.isDirectory(place) ? place.resolve(TwoStageTrainer.MODEL) : place;
    if (Files.isRegularFile(file)) {
      RunResult.requireOwn(file.toAbsolutePath());
    }
    return file;
  }

  /**
   * What a model is called.
   *
   * @param place what {@link #load} is given
   * @return text to be shown
   */
  public static String name(Path place) {
    return Printable.of(place);
  }

  /**
   * Asks a model, whose file may come from anywhere.
   *
   * @param place what {@link #load} was given
   * @param question what is asked
   * @param <T> what is answered
   * @return the answer
   * @throws UserException if the network cannot take images of its card, has parameters that make
   *     no sense, or gives no finite numbers
   */
  public static <T> T ask(Path place, Supplier<T> question) {
    try {
      return question.get();
    } catch (IllegalStateException | DL4JException | ND4JException e) {
      throw new UserException(
          "%s cannot classify pictures: %s; train the model again".formatted(place, e.getMessage()),
          e);
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
