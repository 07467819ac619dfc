/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.reports.Printable;
import io.github.spd4j.statistics.Temperature;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.apache.commons.csv.CSVFormat;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The predicted classes of test images. */
public final class Predictions {

  private final List<ImageFile> files;
  private final List<String> classes;
  private final double[][] probabilities;

  /**
   * Predictions as means over views.
   *
   * @param files the test images
   * @param classes the names of the classes
   * @param probabilities [files · views, classes], the views of a file one after the other
   */
  public Predictions(List<ImageFile> files, List<String> classes, INDArray probabilities) {
    this.files = List.copyOf(files);
    this.classes = List.copyOf(classes);
    long views = probabilities.size(0) / files.size();
    this.probabilities =
        probabilities
            .reshape('c', files.size(), views, classes.size())
            .mean(1)
            .reshape(files.size(), classes.size())
            .castTo(DataType.DOUBLE)
            .toDoubleMatrix();
  }

  private Predictions(List<ImageFile> files, List<String> classes, double[][] probabilities) {
    this.files = List.copyOf(files);
    this.classes = List.copyOf(classes);
    this.probabilities = probabilities;
  }

  /** What a run without test images has: an accuracy that is no number. */
  static Predictions none(List<String> classes) {
    return new Predictions(List.of(), classes, new double[0][]);
  }

  /** The temperature that calibrates these. */
  double temperature() {
    return Temperature.fit(probabilities, files.stream().mapToInt(ImageFile::label).toArray());
  }

  /** The same answers with calibrated probabilities. */
  Predictions calibrated(double temperature) {
    double[][] calibrated =
        Arrays.stream(probabilities)
            .map(shares -> Temperature.apply(temperature, shares))
            .toArray(double[][]::new);
    return new Predictions(files, classes, calibrated);
  }

  /**
   * The number of images.
   *
   * @return how many there are
   */
  public int size() {
    return files.size();
  }

  ImageFile file(int image) {
    return files.get(image);
  }

  List<String> classes() {
    return classes;
  }

  int truth(int image) {
    return files.get(image).label();
  }

  /**
   * The class predicted for an image.
   *
   * @param image its number
   * @return the number of the most probable class
   */
  public int answer(int image) {
    int best = 0;
    for (int k = 1; k < classes.size(); k++) {
      best = probabilities[image][k] > probabilities[image][best] ? k : best;
    }
    return best;
  }

  double probability(int image) {
    return probability(image, answer(image));
  }

  double probability(int image, int label) {
    return probabilities[image][label];
  }

  /**
   * Whether an image was classified correctly.
   *
   * @param image its number
   * @return true if it was
   */
  public boolean isRight(int image) {
    return answer(image) == truth(image);
  }

  /**
   * The share of images that were classified correctly.
   *
   * @return 0 to 1
   */
  public double accuracy() {
    return IntStream.range(0, size()).filter(this::isRight).count() / (double) size();
  }

  /**
   * How often each class was predicted for each class.
   *
   * @return a row for each true class, a column for each prediction
   */
  public int[][] confusion() {
    int[][] counts = new int[classes.size()][classes.size()];
    for (int i = 0; i < size(); i++) {
      counts[truth(i)][answer(i)]++;
    }
    return counts;
  }

  /**
   * The images that were classified wrongly, the likeliest wrong label first: what has the least
   * probability for its class, by what is usual for the class.
   */
  List<Integer> mistakes() {
    double[] usual = new double[classes.size()];
    int[] sizes = new int[classes.size()];
    for (int i = 0; i < size(); i++) {
      usual[truth(i)] += probability(i, truth(i));
      sizes[truth(i)]++;
    }
    return IntStream.range(0, size())
        .filter(image -> !isRight(image))
        .boxed()
        .sorted(
            Comparator.comparingDouble(
                image -> {
                  int label = truth(image);
                  double own = probability(image, label);
                  return own == 0 ? 0 : own * sizes[label] / usual[label];
                }))
        .toList();
  }

  /** The pairs of classes that were taken for each other most often, the worst first. */
  List<ConfusedPair> confusedPairs(int most) {
    int[][] counts = confusion();
    List<ConfusedPair> pairs = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      for (int j = 0; j < counts.length; j++) {
        if (i != j && counts[i][j] > 0) {
          pairs.add(new ConfusedPair(i, j, counts[i][j]));
        }
      }
    }
    pairs.sort(Comparator.comparingInt(pair -> -pair.count()));
    return pairs.subList(0, Math.min(most, pairs.size()));
  }

  /** Some images of one class were taken for another. */
  record ConfusedPair(int truth, int answer, int count) {}

  /** One line for each image: file, true class, predicted class, its probability. */
  String csv() {
    return csv(IntStream.range(0, size()).boxed().toList());
  }

  /** The same for some images. */
  String csv(List<Integer> images) {
    CSVFormat format = CSVFormat.RFC4180;
    List<String> lines = new ArrayList<>();
    lines.add(format.format("file", "true class", "predicted class", "probability"));
    for (int i : images) {
      String probability = String.format(Locale.ROOT, "%.6f", probability(i));
      lines.add(
          format.format(
              Printable.of(file(i).name()),
              Printable.of(classes.get(truth(i))),
              Printable.of(classes.get(answer(i))),
              probability));
    }
    return String.join("\r\n", lines) + "\r\n";
  }
}
