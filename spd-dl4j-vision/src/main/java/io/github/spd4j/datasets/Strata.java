/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import io.github.spd4j.internal.images.SeededRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;

/** Images by class, to draw the same share of each. */
record Strata(List<String> names, List<List<ImageFile>> classes) {

  static Strata of(List<ImageFile> images, List<String> names) {
    Strata strata =
        new Strata(
            names, Stream.<List<ImageFile>>generate(ArrayList::new).limit(names.size()).toList());
    images.forEach(image -> strata.classes.get(image.label()).add(image));
    return strata;
  }

  void forEach(BiConsumer<Integer, List<ImageFile>> action) {
    for (int label = 0; label < classes.size(); label++) {
      action.accept(label, classes.get(label));
    }
  }

  /**
   * Refuses a class that has too few images.
   *
   * @param least how many it needs
   * @param where what a message begins with
   * @param end how it goes on behind the number of images
   */
  void requireEach(int least, String where, String end) {
    forEach(
        (label, images) -> {
          if (images.size() < least) {
            throw new DataSetException(
                "%sclass '%s' has %d images%s"
                    .formatted(where, names.get(label), images.size(), end));
          }
        });
  }

  /** The images of a class in a random order. What is drawn from one class moves no other. */
  List<ImageFile> shuffled(int label, long seed, String purpose) {
    List<ImageFile> images = new ArrayList<>(classes.get(label));
    Collections.shuffle(images, SeededRandom.of(seed, purpose + " " + label));
    return images;
  }

  /** Draws from every class as many images as its size asks for. */
  Set<ImageFile> draw(IntUnaryOperator share, long seed, String purpose) {
    Set<ImageFile> drawn = new HashSet<>();
    forEach(
        (label, images) ->
            drawn.addAll(
                shuffled(label, seed, purpose).subList(0, share.applyAsInt(images.size()))));
    return drawn;
  }
}
