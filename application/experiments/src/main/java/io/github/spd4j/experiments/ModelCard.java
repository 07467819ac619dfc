/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What one must know to use a trained network: {@code model.json} beside {@code model.zip}.
 *
 * @param version of the file's format
 * @param method the key of a {@link Method}
 * @param backbone its title
 * @param cut the last vertex of the backbone
 * @param classes their names, in the order of the network's output
 * @param size height and width of the images
 * @param views what is seen of an image; predictions are averaged over them
 * @param input how the colours of an image become numbers, see {@link #pixels}
 */
public record ModelCard(
    int version,
    String method,
    String backbone,
    String cut,
    List<String> classes,
    int size,
    Views views,
    String input) {

  static final String FILE = "model.json";

  /** The card of a run's network. */
  static ModelCard of(Run run) {
    Experiment experiment = run.experiment;
    return new ModelCard(
        1,
        run.method.key(),
        experiment.backbone.title(),
        experiment.backbone.cut(),
        run.partition.classes(),
        experiment.size(),
        experiment.testViews(),
        experiment.backbone.pixels().toString());
  }

  /**
   * The card beside a model file.
   *
   * @param model the file of a network
   * @return the card
   * @throws UserException if there is none, or not all of it
   */
  public static ModelCard beside(Path model) {
    Path file = model.toAbsolutePath().resolveSibling(FILE);
    if (!Files.isRegularFile(file)) {
      throw new UserException(
          "expected " + FILE + " beside the model, got none in " + file.getParent());
    }
    ModelCard card = Json.read(file, ModelCard.class);
    if (card.classes.isEmpty() || card.views == null || card.cut == null || card.size < 1) {
      throw new UserException(
          file + ": expected classes, size, views and cut of a model, got not all");
    }
    card.pixels();
    return card;
  }

  /**
   * How the colours of an image become numbers.
   *
   * @return the format that the backbone needs
   * @throws UserException if the card describes none
   */
  public PixelFormat pixels() {
    try {
      return PixelFormat.valueOf(String.valueOf(input));
    } catch (IllegalArgumentException e) {
      throw new UserException(FILE + ", input: " + e.getMessage(), e);
    }
  }
}
