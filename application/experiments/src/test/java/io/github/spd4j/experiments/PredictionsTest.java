/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.experiments.TestFigures.ClassFigures;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.factory.Nd4j;

class PredictionsTest {

  /** Two views of each of three images; a single view of the last would be answered otherwise. */
  private final Predictions predictions =
      new Predictions(
          List.of(file("x, 1.png", 0), file("y.png", 1), file("z.png", 1)),
          List.of("p", "q"),
          Nd4j.createFromArray(
              new float[][] {
                {0.9f, 0.1f}, {0.7f, 0.3f}, {0.6f, 0.4f}, {0.8f, 0.2f}, {0.6f, 0.4f}, {0.1f, 0.9f}
              }));

  private static ImageFile file(String name, int label) {
    return new ImageFile(Path.of(name), name, label);
  }

  @Test
  void answersAreMeansOverViews() {
    assertThat(predictions.answer(0)).isZero();
    assertThat(predictions.answer(2)).isOne();
    assertThat(predictions.probability(2)).isCloseTo(0.65, offset(1e-6));
    assertThat(predictions.accuracy()).isCloseTo(2 / 3.0, offset(1e-9));
    assertThat(predictions.confusion()).isEqualTo(new int[][] {{1, 0}, {1, 1}});
    Map<String, ClassFigures> classes = TestFigures.of(predictions).classes();
    assertThat(classes.get("p").recall()).isEqualTo(1);
    assertThat(classes.get("q").recall()).isEqualTo(0.5);
  }

  @Test
  void mistakesAreFoundAndCountedByTheirClasses() {
    assertThat(predictions.confusedPairs(5)).containsExactly(new Predictions.ConfusedPair(1, 0, 1));
    assertThat(predictions.mistakes()).containsExactly(1);
  }

  @Test
  void theLikeliestWrongLabelComesFirst() {
    Predictions wrong =
        new Predictions(
            List.of(file("a", 0), file("b", 0), file("c", 0)),
            List.of("p", "q"),
            Nd4j.createFromArray(new float[][] {{0.4f, 0.6f}, {0.1f, 0.9f}, {0.7f, 0.3f}}));
    assertThat(wrong.mistakes()).containsExactly(1, 0);
  }

  /** Of a class whose images are all hard to tell, a small probability says less. */
  @Test
  void whatIsUsualForAClassCounts() {
    Predictions unsure =
        new Predictions(
            List.of(file("a", 0), file("b", 0), file("c", 1), file("d", 1)),
            List.of("hard", "easy", "third"),
            Nd4j.createFromArray(
                new float[][] {
                  {0.20f, 0.40f, 0.40f}, {0.24f, 0.70f, 0.06f}, {0.35f, 0.25f, 0.4f}, {0, 1, 0}
                }));
    assertThat(unsure.mistakes()).containsExactly(2, 0, 1); // although 0.25 is the largest
  }

  @Test
  void namesWithCommasAreQuoted() {
    assertThat(predictions.csv().lines())
        .containsExactly(
            "file,true class,predicted class,probability",
            "\"x, 1.png\",p,p,0.800000",
            "y.png,q,p,0.700000",
            "z.png,q,q,0.650000");
  }
}
