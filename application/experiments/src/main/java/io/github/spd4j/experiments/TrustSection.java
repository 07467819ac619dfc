/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static io.github.spd4j.reports.HtmlPage.percent;

import io.github.spd4j.experiments.TestFigures.Bin;
import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.SvgChart;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What a report says about how sure answers are, and how sure they must be.
 *
 * @param raw the answers before their calibration
 * @param rehearses whether training images, left out, may calibrate
 */
record TrustSection(
    HtmlPage page, Trust trust, Predictions raw, Predictions predictions, boolean rehearses) {

  /** Fewer images say little about bins. */
  private static final int FEW = 100;

  /** The largest calibration error of probabilities that are about right. */
  private static final double SMALL_ERROR = 0.05;

  private static final List<Double> THRESHOLDS = List.of(0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99);

  /** As many as there are colours. */
  private static final int MOST_CURVES = 4;

  /** The reliability diagram, and how many answers have which probability. */
  void calibration() {
    TestFigures test = TestFigures.of(predictions);
    SvgChart agreement = SvgChart.agreement("probability of the answer", "share that is right");
    SvgChart counts =
        SvgChart.counts(
            "probability of the answer",
            "images",
            test.calibration().stream().mapToInt(Bin::images).max().orElse(1));
    for (Bin bin : test.calibration()) {
      int right = (int) Math.round(bin.right() * bin.images());
      Interval interval = Interval.of(right, bin.images());
      agreement.bar(bin.from(), bin.to(), bin.right(), interval.low(), interval.high(), title(bin));
      counts.stack(bin.from(), bin.to(), right, bin.images() - right, title(bin));
    }
    page.paragraph(verdict(test));
    page.paragraph(source());
    page.chart(
        agreement,
        "Answers by their probability. On the dashed line probabilities are right; below it the"
            + " model is too sure. Thin lines: 95 % confidence.");
    page.chart(counts, "How many answers have which probability: right ones green, wrong ones red");
    page.table(
        List.of("probability", "images", "mean probability", "right"),
        test.calibration().stream()
            .map(
                bin ->
                    List.of(
                        "%.0f to %.0f %%".formatted(100 * bin.from(), 100 * bin.to()),
                        String.valueOf(bin.images()),
                        percent(bin.probability()),
                        percent(bin.right())))
            .toList());
  }

  private static String title(Bin bin) {
    return "%d images, mean probability %s, right %s"
        .formatted(bin.images(), percent(bin.probability()), percent(bin.right()));
  }

  private String verdict(TestFigures test) {
    double said =
        IntStream.range(0, predictions.size())
            .mapToDouble(predictions::probability)
            .average()
            .orElseThrow();
    double right = predictions.accuracy();
    double error = test.calibrationError();
    boolean within = said >= test.low() && said <= test.high();
    String kind =
        error <= SMALL_ERROR
            ? "about right"
            : within
                ? "right on average, too high or too low one by one"
                : said > right ? "too sure" : "too modest";
    String few = predictions.size() < FEW ? " With so few images this is partly chance." : "";
    return "The answers have a mean probability of %s, and %s of them are right: %s. The expected calibration error is %s%s.%s"
        .formatted(
            percent(said),
            percent(right),
            kind,
            percent(error),
            trust.isKnown()
                ? "; before the calibration it was "
                    + percent(TestFigures.of(raw).calibrationError())
                : "",
            few);
  }

  String source() {
    return trust.isKnown()
        ? String.format(
            Locale.ROOT,
            "The probabilities are calibrated by a temperature of %.2f, which %s tell (above 1: the"
                + " network itself is too sure). It is part of the model.",
            trust.confidence().temperature(),
            trust.source())
        : (rehearses
                ? "They are not calibrated: that takes %d images to train on, and two of each class."
                : "They are not calibrated: that takes %d validation images (--validation).")
            .formatted(Trust.FEWEST);
  }

  /** How many answers are left, and how many of them are right, if only sure ones count. */
  void thresholds() {
    double chosen = trust.confidence().unsureBelow();
    if (trust.isKnown()) {
      page.paragraph(
          chosen == 0
              ? "Any: of the answers to %s, %.0f %% or more are right."
                  .formatted(trust.source(), 100 * Trust.WANTED)
              : "Below %s an answer is unsure, and somebody should look: of the surer answers to %s, %.0f %% are right. ./spd predict says which answers are unsure; --unsure-below sets another limit."
                  .formatted(percent(chosen), trust.source(), 100 * Trust.WANTED));
    }
    if (trust.confidence().familiarity().isPresent()) {
      page.paragraph(
          "A picture of something else may get a sure answer. So pictures whose features lie farther from all classes than those of %.0f %% of these images are called unlike anything trained on; a class that looks like the known ones is mostly not found so."
              .formatted(100 * Trust.KEPT));
    }
    List<Integer> surest =
        IntStream.range(0, predictions.size())
            .boxed()
            .sorted(Comparator.comparingDouble(image -> -predictions.probability(image)))
            .toList();
    double[] coverage = new double[surest.size()];
    double[] accuracy = new double[surest.size()];
    int right = 0;
    for (int i = 0; i < coverage.length; i++) {
      right += predictions.isRight(surest.get(i)) ? 1 : 0;
      coverage[i] = (i + 1.0) / coverage.length;
      accuracy[i] = right / (i + 1.0);
    }
    page.chart(
        SvgChart.shares("share of pictures that are answered", "share of these that is right")
            .curve("the surest answers first", coverage, accuracy),
        "Who leaves the unsure answers to people, gets fewer and better ones");
    List<List<String>> rows = new ArrayList<>();
    Stream.concat(THRESHOLDS.stream(), Stream.of(chosen))
        .distinct()
        .sorted()
        .forEach(threshold -> rows.add(row(threshold, threshold == chosen && chosen > 0)));
    page.table(List.of("unsure below", "answered", "right of these", "wrong of these"), rows);
  }

  private List<String> row(double threshold, boolean isChosen) {
    List<Integer> sure =
        IntStream.range(0, predictions.size())
            .filter(image -> predictions.probability(image) >= threshold)
            .boxed()
            .toList();
    long right = sure.stream().filter(predictions::isRight).count();
    return List.of(
        percent(threshold) + (isChosen ? ", this model" : ""),
        percent((double) sure.size() / predictions.size()),
        sure.isEmpty() ? "" : percent((double) right / sure.size()),
        String.valueOf(sure.size() - right));
  }

  /** ROC and precision–recall curves, each class against the others. */
  void curves() {
    List<ClassCurve> curves =
        IntStream.range(0, predictions.classes().size())
            .mapToObj(label -> ClassCurve.of(predictions, label))
            .filter(ClassCurve::isKnown)
            .sorted(Comparator.comparingDouble(ClassCurve::averagePrecision))
            .toList();
    List<ClassCurve> drawn = curves.subList(0, Math.min(MOST_CURVES, curves.size()));
    page.paragraph(
        "Each class against the others: for every limit of its probability, how many of its images"
            + " are found, and at what cost. AUC is the share of pairs, one image of the class and"
            + " one other, of which the right one has more. Average precision is the mean height of"
            + " the second curve. The worst classes come first"
            + (drawn.size() < curves.size() ? "; they are drawn, all others below." : "."));
    SvgChart roc = roc();
    SvgChart precision = precision();
    for (ClassCurve curve : drawn) {
      roc.curve(curve.name(), curve.falseAlarms(), curve.found());
      precision.curve(curve.name(), curve.found(), curve.precision());
    }
    page.chart(roc, "ROC: the dashed line is chance");
    page.chart(precision, "Precision and recall");
    if (drawn.size() < curves.size()) {
      page.folded("Curves of each class", () -> page.charts(single(curves)));
    }
    page.table(
        List.of("class", "AUC", "average precision"),
        curves.stream()
            .map(
                curve ->
                    List.of(curve.name(), percent(curve.area()), percent(curve.averagePrecision())))
            .toList());
  }

  private static SvgChart roc() {
    return SvgChart.agreement("share of others taken for it", "share of its images found");
  }

  private static SvgChart precision() {
    return SvgChart.shares("share of its images found", "share of answers that is right");
  }

  /** Two charts for each class, in the order of its name. */
  private static Map<String, SvgChart> single(List<ClassCurve> curves) {
    Map<String, SvgChart> charts = new LinkedHashMap<>();
    curves.stream()
        .sorted(Comparator.comparing(ClassCurve::name))
        .forEach(
            curve -> {
              charts.put(
                  "%s: ROC, AUC %s".formatted(curve.name(), percent(curve.area())),
                  roc().curve("", curve.falseAlarms(), curve.found()));
              charts.put(
                  "%s: precision and recall, %s"
                      .formatted(curve.name(), percent(curve.averagePrecision())),
                  precision().curve("", curve.found(), curve.precision()));
            });
    return charts;
  }
}
