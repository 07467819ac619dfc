/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * How good the answers to test images are. What cannot be said is NaN: all of it without test
 * images, the precision of a class that was never answered, the recall of one without test images.
 *
 * @param accuracy the share of images that were classified correctly
 * @param low the lower bound of the accuracy, with 95 % confidence
 * @param high the upper bound
 * @param meanRecall the mean of the recall over the classes that have test images
 * @param meanF1 the mean of F1 over the classes that have test images
 * @param calibrationError how far the probability of an answer is from the share of such answers
 *     that are right: the mean over the bins, each as often as it has images
 * @param calibration probabilities and what came of them, bin by bin
 * @param classes the figures of each class by its name
 */
public record TestFigures(
    double accuracy,
    double low,
    double high,
    double meanRecall,
    double meanF1,
    double calibrationError,
    List<Bin> calibration,
    Map<String, ClassFigures> classes) {

  private static final int BINS = 10;

  /**
   * Answers with probabilities that are about the same.
   *
   * @param from the smallest probability, which counts in the bin before, except 0
   * @param to the largest probability
   * @param images how many there are
   * @param probability their mean probability
   * @param right the share of them that is right
   */
  public record Bin(double from, double to, int images, double probability, double right) {}

  /**
   * The figures of a class.
   *
   * @param images its test images
   * @param precision the share of right answers among those that named it
   * @param recall the share of its images that were recognised
   * @param f1 the harmonic mean of both: 0 if no image was recognised
   */
  public record ClassFigures(int images, double precision, double recall, double f1) {}

  static TestFigures of(Predictions predictions) {
    if (predictions.size() == 0) {
      double unknown = Double.NaN;
      return new TestFigures(
          unknown, unknown, unknown, unknown, unknown, unknown, List.of(), Map.of());
    }
    int right = (int) IntStream.range(0, predictions.size()).filter(predictions::isRight).count();
    Interval interval = Interval.of(right, predictions.size());
    Map<String, ClassFigures> classes = classes(predictions);
    List<Bin> bins = bins(predictions);
    return new TestFigures(
        predictions.accuracy(),
        interval.low(),
        interval.high(),
        mean(classes, ClassFigures::recall),
        mean(classes, ClassFigures::f1),
        bins.stream().mapToDouble(bin -> bin.images * Math.abs(bin.probability - bin.right)).sum()
            / predictions.size(),
        bins,
        classes);
  }

  private static double mean(
      Map<String, ClassFigures> classes, ToDoubleFunction<ClassFigures> figure) {
    return classes.values().stream()
        .filter(figures -> figures.images > 0)
        .mapToDouble(figure)
        .average()
        .orElse(Double.NaN);
  }

  private static Map<String, ClassFigures> classes(Predictions predictions) {
    int[][] counts = predictions.confusion();
    Map<String, ClassFigures> classes = new LinkedHashMap<>();
    for (int k = 0; k < counts.length; k++) {
      int column = k;
      double right = counts[k][k];
      int images = Arrays.stream(counts[k]).sum();
      int answers = Arrays.stream(counts).mapToInt(row -> row[column]).sum();
      // 0/0 is NaN: nothing is known
      classes.put(
          predictions.classes().get(k),
          new ClassFigures(
              images, right / answers, right / images, 2 * right / (images + answers)));
    }
    return classes;
  }

  private static List<Bin> bins(Predictions predictions) {
    List<List<Integer>> members = new ArrayList<>();
    IntStream.range(0, BINS).forEach(bin -> members.add(new ArrayList<>()));
    for (int i = 0; i < predictions.size(); i++) {
      int bin = (int) Math.ceil(predictions.probability(i) * BINS) - 1;
      members.get(Math.max(0, Math.min(BINS - 1, bin))).add(i);
    }
    List<Bin> bins = new ArrayList<>();
    for (int b = 0; b < BINS; b++) {
      List<Integer> own = members.get(b);
      if (!own.isEmpty()) {
        bins.add(
            new Bin(
                (double) b / BINS,
                (b + 1.0) / BINS,
                own.size(),
                own.stream().mapToDouble(predictions::probability).average().orElseThrow(),
                own.stream().filter(predictions::isRight).count() / (double) own.size()));
      }
    }
    return bins;
  }
}
