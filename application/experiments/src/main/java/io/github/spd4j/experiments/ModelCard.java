/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import io.github.spd4j.datasets.Views;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What one must know to use a trained network: {@code model.json} beside {@code model.zip}. */
@JsonAutoDetect(fieldVisibility = Visibility.ANY)
final class ModelCard {

  static final String FILE = "model.json";

  int version = 1;
  String method;
  String backbone;
  String cut;
  List<String> classes;
  int size;
  Views views;
  String input = "BGR, 0 to 255, minus (104, 117, 123)";

  ModelCard() {}

  /** The card beside a model file. */
  static ModelCard beside(Path model) {
    Path file = model.toAbsolutePath().resolveSibling(FILE);
    if (!Files.isRegularFile(file)) {
      throw new Mistake("expected " + FILE + " beside the model, got none in " + file.getParent());
    }
    ModelCard card = Json.read(file, ModelCard.class);
    if (card.classes == null || card.views == null || card.cut == null || card.size < 1) {
      throw new Mistake(file + ": expected classes, size, views and cut of a model, got not all");
    }
    return card;
  }
}
