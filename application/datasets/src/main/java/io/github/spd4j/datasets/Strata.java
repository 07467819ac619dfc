/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntUnaryOperator;

/** Images by class, to draw the same share of each. */
final class Strata {

  /** Does something with the images of a class. */
  interface Visitor {
    void visit(int label, List<ImageFile> images);
  }

  private final List<List<ImageFile>> classes = new ArrayList<>();

  private Strata(int count) {
    for (int c = 0; c < count; c++) {
      classes.add(new ArrayList<>());
    }
  }

  static Strata of(List<ImageFile> images, int classes) {
    Strata strata = new Strata(classes);
    for (ImageFile image : images) {
      strata.classes.get(image.label()).add(image);
    }
    return strata;
  }

  void forEach(Visitor visitor) {
    for (int c = 0; c < classes.size(); c++) {
      visitor.visit(c, List.copyOf(classes.get(c)));
    }
  }

  /** Draws from every class as many images as its size asks for. What one gives moves no other. */
  Set<ImageFile> draw(IntUnaryOperator share, long seed, String purpose) {
    Set<ImageFile> drawn = new HashSet<>();
    forEach(
        (label, images) -> {
          List<ImageFile> shuffled = new ArrayList<>(images);
          Collections.shuffle(shuffled, Chance.of(seed, purpose + " " + label));
          drawn.addAll(shuffled.subList(0, share.applyAsInt(images.size())));
        });
    return drawn;
  }
}
