/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.train.images.LabelledImages;
import java.util.stream.IntStream;

/**
 * Images of small classes several times, so that each class counts as much as the largest: the same
 * as weights in the loss and in the fit of the classifier, where an image is left out with its
 * copies. Variants of copies are different ones.
 */
final class Balance {

  private Balance() {}

  static LabelledImages of(LabelledImages images) {
    int[] sizes = new int[images.classes()];
    IntStream.range(0, images.size()).forEach(i -> sizes[images.label(i)]++);
    int most = IntStream.of(sizes).max().orElse(0);
    int[] seen = new int[sizes.length];
    return images.subset(
        IntStream.range(0, images.size())
            .flatMap(
                i -> {
                  int label = images.label(i);
                  boolean oneMore = seen[label]++ < most % sizes[label];
                  return IntStream.generate(() -> i).limit(most / sizes[label] + (oneMore ? 1 : 0));
                })
            .toArray());
  }
}
