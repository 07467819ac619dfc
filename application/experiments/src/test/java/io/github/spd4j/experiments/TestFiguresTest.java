/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.experiments.TestFigures.Bin;
import io.github.spd4j.experiments.TestFigures.ClassFigures;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.factory.Nd4j;

class TestFiguresTest {

  private static final double CLOSE = 1e-6; // probabilities are FLOAT

  private static Predictions predictions(int[] truths, float[][] probabilities) {
    List<ImageFile> files =
        IntStream.of(truths).mapToObj(k -> new ImageFile(Path.of("x"), "x", k)).toList();
    return new Predictions(files, List.of("a", "b", "c", "d"), Nd4j.createFromArray(probabilities));
  }

  /** Three of class a, one of them taken for b; one of b; one of c, taken for b; none of d. */
  private final TestFigures figures =
      TestFigures.of(
          predictions(
              new int[] {0, 0, 0, 1, 2},
              new float[][] {
                {0.95f, 0.05f, 0, 0},
                {0.75f, 0.25f, 0, 0},
                {0.1f, 0.9f, 0, 0},
                {0.02f, 0.98f, 0, 0},
                {0.2f, 0.72f, 0.08f, 0}
              }));

  @Test
  void precisionRecallAndF1AreThoseOfTheirDefinitions() {
    assertFigures("a", 3, 1, 2 / 3.0, 0.8);
    assertFigures("b", 1, 1 / 3.0, 1, 0.5);
    assertFigures("c", 1, Double.NaN, 0, 0); // never answered
    assertFigures("d", 0, Double.NaN, Double.NaN, Double.NaN);
    assertThat(figures.meanRecall()).isCloseTo((2 / 3.0 + 1 + 0) / 3, within(1e-12));
    assertThat(figures.meanF1()).isCloseTo((0.8 + 0.5 + 0) / 3, within(1e-12));
  }

  private void assertFigures(String name, int images, double precision, double recall, double f1) {
    assertThat(figures.classes().get(name))
        .isEqualTo(new ClassFigures(images, precision, recall, f1));
  }

  @Test
  void theCalibrationErrorIsTheMeanDistanceOfTheBins() {
    List<Bin> bins = figures.calibration();
    assertThat(bins).extracting(Bin::from).containsExactly(0.7, 0.8, 0.9);
    assertThat(bins).extracting(Bin::images).containsExactly(2, 1, 2);
    assertThat(bins).extracting(Bin::right).containsExactly(0.5, 0.0, 1.0);
    assertThat(bins.get(0).probability()).isCloseTo(0.735, within(CLOSE));
    double expected = (2 * 0.235 + 0.9 + 2 * 0.035) / 5;
    assertThat(figures.calibrationError()).isCloseTo(expected, within(CLOSE));
  }

  @Test
  void probabilitiesOfExactlyZeroAndOneHaveABin() {
    TestFigures sure = TestFigures.of(predictions(new int[] {0}, new float[][] {{1, 0, 0, 0}}));
    assertThat(sure.calibration()).containsExactly(new Bin(0.9, 1, 1, 1, 1));
    assertThat(sure.calibrationError()).isZero();
    TestFigures none = TestFigures.of(predictions(new int[] {1}, new float[][] {{0, 0, 0, 0}}));
    assertThat(none.calibration()).containsExactly(new Bin(0, 0.1, 1, 0, 0));
  }

  @Test
  void withoutTestImagesNothingIsKnown() {
    TestFigures none = TestFigures.of(Predictions.none(List.of("a", "b")));
    assertThat(none.accuracy()).isNaN();
    assertThat(none.meanRecall()).isNaN();
    assertThat(none.low()).isNaN();
    assertThat(none.calibrationError()).isNaN();
    assertThat(none.classes()).isEmpty();
  }

  @Test
  void aPartOfTheConfusionHasAllAnswersOfItsRows() {
    int[][] counts = {{5, 1, 2}, {0, 7, 0}, {3, 0, 4}};
    assertThat(ClassSection.part(counts, 0, 2)).isEqualTo(new int[][] {{5, 2, 1}, {3, 4, 0}});
  }
}
