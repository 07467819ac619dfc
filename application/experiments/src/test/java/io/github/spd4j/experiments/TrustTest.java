/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.internal.images.Png;
import io.github.spd4j.models.Confidence;
import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.statistics.Familiarity;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.factory.Nd4j;

class TrustTest {

  /** Images of two classes, with the probability of class 0 and the true class. */
  private static Predictions predictions(double[] first, int... labels) {
    List<ImageFile> files =
        IntStream.range(0, labels.length)
            .mapToObj(i -> new ImageFile(Path.of("image" + i), "image" + i, labels[i]))
            .toList();
    double[][] rows = new double[first.length][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = new double[] {first[i], 1 - first[i]};
    }
    return new Predictions(files, List.of("a", "b"), Nd4j.createFromArray(rows));
  }

  /** All of class 0, so many of them said to be; as sure as it is said. */
  private static Predictions images(int right, double sure, int wrong, double unsure) {
    double[] first = new double[right + wrong];
    for (int i = 0; i < first.length; i++) {
      first[i] = i < right ? sure : 1 - unsure;
    }
    return predictions(first, new int[first.length]);
  }

  @Test
  void fewValidationImagesTellNothing() {
    Trust trust = Trust.of(images(10, 0.9, 9, 0.9), 0);
    assertThat(trust.isKnown()).isFalse();
    assertThat(trust.confidence()).isSameAs(Confidence.UNKNOWN);
    assertThat(Trust.of(Predictions.none(List.of("a", "b")), 0).isKnown()).isFalse();
  }

  /** Three of four are right, whatever is said: 99 % is too sure, and 75 % comes of it. */
  @Test
  void whoIsTooSureIsCalibrated() {
    Predictions tooSure = images(75, 0.99, 25, 0.99);
    Trust trust = Trust.of(tooSure, 0);
    double temperature = trust.confidence().temperature();
    assertThat(temperature).isGreaterThan(2);
    assertThat(TestFigures.of(trust.held()).calibrationError()).isCloseTo(0.24, within(1e-3));
    TestFigures after = TestFigures.of(tooSure.calibrated(temperature));
    assertThat(after.calibrationError()).isLessThan(0.02);
    assertThat(after.accuracy()).isEqualTo(0.75);
    assertThat(trust.confidence().unsureBelow()).isEqualTo(Trust.WANTED); // none are so sure
  }

  /** The forty sure answers are right, the ten others are not. */
  @Test
  void answersAreUnsureWhereTooFewAreRight() {
    Trust trust = Trust.of(images(40, 0.9, 10, 0.6), 0);
    Predictions calibrated = images(40, 0.9, 10, 0.6).calibrated(trust.confidence().temperature());
    assertThat(trust.confidence().unsureBelow())
        .isBetween(calibrated.probability(49), calibrated.probability(0));
    assertThat(Trust.of(images(50, 0.9, 0, 0), 0).confidence().unsureBelow()).isZero();
  }

  @Test
  void fiveOfAHundredImagesThatWereHeldOutLieTooFar() {
    Familiarity known = Familiarity.fit(Nd4j.eye(4), 0, 0, 1, 1);
    double[] distances = IntStream.range(0, 100).mapToDouble(i -> (37 * i) % 100 + 1).toArray();
    Trust trust = Trust.of(images(90, 0.9, 10, 0.6), 40);
    assertThat(trust.familiar(known, distances).confidence().unlikeAbove()).isEqualTo(95);
    assertThat(trust.familiar(known, new double[9]).confidence().familiarity()).isEmpty();
    assertThat(trust.source())
        .isEqualTo("60 validation images and 40 training images that another training left out");
    assertThat(Trust.of(images(60, 0.9, 0, 0), 60).source()).startsWith("60 training images");
  }

  /** Of the four images, those of class a stand first and third: AUC 3/4, precisions 1 and 2/3. */
  @Test
  void curvesOfAClassAreThoseOfTheTextbook() {
    ClassCurve curve = ClassCurve.of(predictions(new double[] {0.9, 0.8, 0.7, 0.1}, 0, 1, 0, 1), 0);
    assertThat(curve.found()).containsExactly(0, 0.5, 0.5, 1, 1);
    assertThat(curve.falseAlarms()).containsExactly(0, 0, 0.5, 0.5, 1);
    assertThat(curve.area()).isCloseTo(0.75, within(1e-12));
    assertThat(curve.averagePrecision()).isCloseTo((1 + 2.0 / 3) / 2, within(1e-12));
  }

  /** Who gives all images the same probability guesses. */
  @Test
  void equalProbabilitiesCountTogether() {
    ClassCurve curve = ClassCurve.of(predictions(new double[] {0.5, 0.5, 0.5, 0.5}, 0, 1, 0, 1), 1);
    assertThat(curve.found()).containsExactly(0, 1);
    assertThat(curve.area()).isCloseTo(0.5, within(1e-12));
    assertThat(ClassCurve.of(images(3, 0.9, 1, 0.9), 1).isKnown()).isFalse();
  }

  @Test
  void wordsMatchTheNumber() {
    Predictions tooSure = images(75, 0.99, 25, 0.99);
    assertThat(words(tooSure, tooSure)).contains("are right: too sure", "error is 24.0 %");
    Predictions calibrated = tooSure.calibrated(Trust.of(tooSure, 0).confidence().temperature());
    assertThat(words(tooSure, calibrated)).contains("are right: about right", "it was 24.0 %");
    Predictions mixed = images(60, 0.75, 40, 0.75);
    assertThat(words(mixed, mixed)).contains("error is 15.0 %").doesNotContain("about right");
  }

  private static String words(Predictions raw, Predictions predictions) {
    HtmlPage page = new HtmlPage("");
    TrustSection section = new TrustSection(page, Trust.of(raw, 0), raw, predictions, true);
    section.calibration();
    section.thresholds();
    section.curves();
    return page.html();
  }

  /** Of a class each the first is recognised always, the second in one of four images. */
  @Test
  void aManagerReadsOneSentenceAndWhereItFails() {
    int[] labels = new int[100];
    double[] first = new double[100];
    for (int i = 0; i < 100; i++) {
      labels[i] = i < 60 ? 0 : 1;
      first[i] = i < 60 ? 0.9 : i < 70 ? 0.2 : 0.6;
    }
    Predictions predictions = predictions(first, labels);
    Summary summary = new Summary(200, TestFigures.of(predictions), predictions, 0.7);
    assertThat(summary.sentence())
        .startsWith(
            "The model learnt 2 classes (a and b) from 200 pictures, and named 70.0 % of 100 others"
                + " rightly: with 95 % confidence it is right for 60.4 % to 78.1 %");
    assertThat(summary.details())
        .isEqualTo(
            "It recognises a (100.0 % of its pictures) best and b (25.0 % of its pictures) worst,"
                + " which it takes for a most often. It says itself that it is unsure of 30.0 % of"
                + " the pictures; if somebody looks at these, 100.0 % of the others are right.");
    assertThat(new Summary(200, TestFigures.of(predictions), predictions, 0).details())
        .doesNotContain("unsure");
  }

  /** Four classes are drawn together; of more each has its own two charts, folded. */
  @Test
  void eachClassHasItsCurves() {
    assertThat(page(4)).doesNotContain("Curves of each class", "class=\"small\"");
    assertThat(page(6))
        .contains("<summary><h2>Curves of each class", "c0: ROC, AUC", "c5: precision");
  }

  private static String page(int classes) {
    List<String> names = IntStream.range(0, classes).mapToObj(i -> "c" + i).toList();
    List<ImageFile> files =
        IntStream.range(0, 3 * classes)
            .mapToObj(i -> new ImageFile(Path.of("image" + i), "image" + i, i % classes))
            .toList();
    Predictions predictions =
        new Predictions(files, names, Nd4j.eye(classes).repeat(0, 3).addi(1).divi(classes + 1));
    HtmlPage page = new HtmlPage("");
    new TrustSection(page, Trust.of(predictions, 0), predictions, predictions, true).curves();
    return page.html();
  }

  /** Each mistake stands beside a right answer of both classes, which the page has once. */
  @Test
  void rightAnswersStandBesideWrongOnes(@TempDir Path folder) throws IOException {
    List<ImageFile> files = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      BufferedImage picture = new BufferedImage(40, 20 + 10 * i, BufferedImage.TYPE_INT_RGB);
      Path file = Files.write(folder.resolve(i + ".png"), Png.bytes(picture));
      files.add(new ImageFile(file, i + ".png", 0));
    }
    double[][] rows = {{0.7, 0.3}, {0.9, 0.1}, {0.4, 0.6}, {0.2, 0.8}};
    HtmlPage page = new HtmlPage("");
    new MistakeSection(
            page,
            new Predictions(files, List.of("a", "b"), Nd4j.createFromArray(rows)),
            "test images")
        .add();
    assertThat(page.html())
        .containsOnlyOnce(".e0{background-image:url(data:image/jpeg")
        .doesNotContain(".e1{")
        .containsPattern(
            "title=\"answered rightly: 1.png\"[^>]*></i><span class=\"right\">✓ a 40.0.%")
        .containsPattern("line\"><span class=\"wrong\">✗ b 80.0.%"); // no right answer names b
  }
}
