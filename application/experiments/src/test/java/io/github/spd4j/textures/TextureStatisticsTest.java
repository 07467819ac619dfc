/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What tells the class of an image, and what does not. */
class TextureStatisticsTest {

  private static final int CLASSES = TextureClass.values().length;
  private static final double CHANCE = 1.0 / CLASSES;
  private static final TextureSet SET = TextureSet.generate(50, 1, 25, 48, 7);

  private static double[][] features(Split split, Function<float[][][], double[]> describe) {
    return IntStream.range(0, SET.count(split))
        .parallel()
        .mapToObj(k -> describe.apply(SET.image(split, k)))
        .toArray(double[][]::new);
  }

  private static int[] labels(Split split) {
    return IntStream.range(0, SET.count(split)).map(k -> k % CLASSES).toArray();
  }

  private static double accuracy(Function<float[][][], double[]> describe) {
    double[][] train = features(Split.TRAIN, describe);
    LeastSquares classifier = new LeastSquares(train, labels(Split.TRAIN), CLASSES);
    return classifier.accuracy(features(Split.TEST, describe), labels(Split.TEST));
  }

  @Test
  void coloursAndHistogramsDoNotTellTheClass() {
    assertThat(accuracy(FirstOrder::of)).isLessThan(1.6 * CHANCE);
  }

  @Test
  void structureTellsTheClass() {
    assertThat(accuracy(Structure::of)).isGreaterThan(8 * CHANCE);
  }
}
