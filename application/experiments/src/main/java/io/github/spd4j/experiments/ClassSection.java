/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static io.github.spd4j.reports.HtmlPage.percent;

import io.github.spd4j.experiments.Predictions.ConfusedPair;
import io.github.spd4j.experiments.TestFigures.ClassFigures;
import io.github.spd4j.reports.HtmlPage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** What a report says about the classes and their confusion. */
record ClassSection(HtmlPage page, TestFigures test, Predictions predictions) {

  /** Of more classes those with the most mistakes are shown. */
  private static final int MOST_IN_MATRIX = 30;

  private static final int PAIRS = 15;

  /** A table, the worst class first. */
  void figures() {
    page.paragraph(
        "Precision: how often an answer that names the class is right. Recall: how many of its"
            + " images are recognised, and where that lies with 95 % confidence. F1 is between"
            + " them. The worst class comes first.");
    List<List<String>> rows =
        test.classes().entrySet().stream()
            .sorted(Comparator.comparingDouble(entry -> sortable(entry.getValue().f1())))
            .map(entry -> row(entry.getKey(), entry.getValue()))
            .toList();
    page.table(List.of("class", "precision", "recall", "F1", "images", "recall, 95 %"), rows);
  }

  private static double sortable(double f1) {
    return Double.isNaN(f1) ? 2 : f1; // nothing is known about it: last
  }

  private static List<String> row(String name, ClassFigures figures) {
    int right = (int) Math.round(figures.recall() * figures.images());
    return List.of(
        name,
        Double.isNaN(figures.precision()) ? "never answered" : percent(figures.precision()),
        figures.images() == 0 ? "no images" : percent(figures.recall()),
        Double.isNaN(figures.f1()) ? "" : percent(figures.f1()),
        String.valueOf(figures.images()),
        figures.images() == 0 ? "" : Interval.of(right, figures.images()).toString());
  }

  /** The confusion matrix, or the part of it that can be read, and the most frequent mistakes. */
  void confusion() {
    int[][] counts = predictions.confusion();
    List<String> classes = predictions.classes();
    if (counts.length <= MOST_IN_MATRIX) {
      page.confusion(counts, classes, "How often each class was answered.");
    } else {
      int[] worst = worst(counts);
      List<String> labels = new ArrayList<>(Arrays.stream(worst).mapToObj(classes::get).toList());
      labels.add("other classes");
      page.confusion(
          part(counts, worst),
          labels,
          "The %d of %d classes with the most mistakes. All answers are in predictions.csv."
              .formatted(MOST_IN_MATRIX, classes.size()));
    }
    List<List<String>> rows = new ArrayList<>();
    for (ConfusedPair pair : predictions.confusedPairs(PAIRS)) {
      rows.add(
          List.of(
              classes.get(pair.truth()),
              classes.get(pair.answer()),
              "%d of %d".formatted(pair.count(), Arrays.stream(counts[pair.truth()]).sum())));
    }
    if (!rows.isEmpty()) {
      page.paragraph("The most frequent mistakes:");
      page.table(List.of("true class", "answer", "images"), rows);
    }
  }

  private static int[] worst(int[][] counts) {
    return IntStream.range(0, counts.length)
        .boxed()
        .sorted(Comparator.comparingInt(k -> counts[k][k] - Arrays.stream(counts[k]).sum()))
        .limit(MOST_IN_MATRIX)
        .mapToInt(k -> k)
        .sorted()
        .toArray();
  }

  /** The rows and columns of some classes, and a column for all the others. */
  static int[][] part(int[][] counts, int... classes) {
    int[][] part = new int[classes.length][classes.length + 1];
    for (int i = 0; i < classes.length; i++) {
      int[] row = counts[classes[i]];
      for (int j = 0; j < classes.length; j++) {
        part[i][j] = row[classes[j]];
      }
      part[i][classes.length] = Arrays.stream(row).sum() - Arrays.stream(part[i]).sum();
    }
    return part;
  }
}
