/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.backbones.Vgg16;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.datasets.Partition;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.Views;
import io.github.spd4j.train.FisherVectors;
import io.github.spd4j.train.Probabilities;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.features.Features;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.LoggingProgress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * The paper's tables for fine-grained classes: each method on VGG-16, with the paper's accuracy
 * beside ours.
 *
 * <p>By the paper's protocol: whole images, without augmentation, and the data set's own division.
 * Means are over seeds, which decide what the new layers start with.
 */
public final class FineGrained {

  private static final int SEEDS = 3;

  /** A method, the paper's accuracies on CUB-200-2011 and FGVC-Aircraft in percent, its head. */
  record Row(String method, double cub, double aircraft, Head head) {

    double paper(DataSetKind set) {
      return switch (set) {
        case CUB -> cub;
        case AIRCRAFT -> aircraft;
        default -> Double.NaN;
      };
    }
  }

  /** The accuracies of a method in percent, one for each seed. */
  record Result(Row row, List<Double> accuracies) {

    double mean() {
      return accuracies.stream().mapToDouble(a -> a).average().orElseThrow();
    }

    double deviation() {
      double squares = accuracies.stream().mapToDouble(a -> Math.pow(a - mean(), 2)).sum();
      return Math.sqrt(squares / (accuracies.size() - 1));
    }
  }

  private final Backbone backbone;
  private final Path out;
  private final int epochsHead;
  private final int epochsWhole;
  private final FeatureCache features;

  FineGrained(Backbone backbone, Path out, int epochsHead, int epochsWhole) {
    this.backbone = backbone;
    this.out = out;
    this.epochsHead = epochsHead;
    this.epochsWhole = epochsWhole;
    this.features = FeatureCache.inFolder(out.resolve("features")); // the same for all methods
  }

  /**
   * Trains and tests each method, and prints a row for it.
   *
   * @param args the data set, {@code cub} or {@code aircraft}; its folder; a folder for features
   *     and checkpoints; and how many epochs the whole network goes on learning: none unless given,
   *     since that takes a GPU
   */
  public static void main(String[] args) {
    DataSetKind set = DataSetKind.valueOf(args[0].toUpperCase(Locale.ROOT));
    int epochsWhole = args.length > 3 ? Integer.parseInt(args[3]) : 0;
    new FineGrained(Vgg16.pretrained(), Path.of(args[2]), 10, epochsWhole)
        .run(set, Path.of(args[1]));
  }

  /** The paper's Table 1, then what its Table 2 adds. */
  static List<Row> rows(int maps) {
    int few = Math.min(128, maps);
    int many = Math.min(512, maps);
    double nan = Double.NaN;
    return List.of(
        new Row("FV-CNN", 49.9, nan, Head.fisherVectors(few).scale(10)),
        new Row("FV-FC-CNN", 54.9, nan, Head.fisherVectors(few).scale(10).withFullyConnected()),
        new Row("B-CNN", 74.0, 74.3, Head.bilinear().powerFloor(0.1).scale(10)),
        new Row("VGG-16", 68.0, 75.0, Head.fullyConnected()),
        new Row("ours", 72.4, 77.8, ours(many)),
        new Row(
            "512 conv 1×1 + B-CNN",
            67.2,
            65.3,
            Head.bilinear().convolution(many).identityStart().powerFloor(0.1).scale(10)),
        new Row(
            "512 conv 1×1 + VGG-16",
            64.5,
            75.1,
            Head.averagePooling().convolution(many).identityStart()),
        new Row("kernel alone", 72.2, 75.8, Head.kernelOnly().scale(10.0 / maps)),
        new Row(
            "128 conv 1×1 + kernel alone",
            64.6,
            72.3,
            Head.kernelOnly().convolution(few).scale(10.0 / few)),
        new Row(
            "512 conv 1×1 + kernel alone",
            72.1,
            76.7,
            Head.kernelOnly().convolution(many).identityStart().scale(10.0 / many)));
  }

  /** The paper's own head: convolution, kernel matrix, transform, vector. */
  private static Head ours(int maps) {
    return Head.spd(maps).convolution(maps).identityStart().powerFloor(0.1).scale(10);
  }

  List<Result> run(DataSetKind set, Path folder) {
    Partition official = set.partitions(set.read(folder), 1, 0).get(0);
    List<Result> results = new ArrayList<>();
    System.out.printf("%-28s %6s %6s%n", set.title(), "paper", "here");
    for (Row row : rows(SpdGraft.onto(backbone).featureMaps())) {
      List<Double> accuracies = new ArrayList<>();
      for (int seed = 1; seed <= SEEDS; seed++) {
        accuracies.add(100 * accuracy(row.head(), official, seed));
      }
      Result result = new Result(row, accuracies);
      results.add(result);
      System.out.printf(
          "%-28s %6s %6.1f ± %.1f%n",
          row.method(),
          Double.isNaN(row.paper(set)) ? "-" : row.paper(set),
          result.mean(),
          result.deviation());
    }
    return results;
  }

  private double accuracy(Head head, Partition partition, long seed) {
    int classes = partition.classes().size();
    FileImages training = images(partition.training(), classes);
    ComputationGraph net = SpdGraft.onto(backbone).head(head).classes(classes).seed(seed).build();
    Acceleration.applyTo(net);
    TrainingPlan plan =
        head.recommendedPlan().toBuilder()
            .epochs(Stage.HEAD, epochsHead)
            .epochs(Stage.WHOLE, epochsWhole)
            .seed(seed)
            .build();
    if (FisherVectors.areIn(net)) { // their mixture is fitted before anything learns
      try (Features known =
          features.features(net, training, plan.batchSize(), new LoggingProgress())) {
        FisherVectors.of(net).seed(seed).fit(known);
      }
    }
    TwoStageTrainer.builder(net)
        .plan(plan)
        .training(training)
        .withoutValidation()
        .featureCache(features)
        .progress(new LoggingProgress())
        .build()
        .train();
    FileImages test = images(partition.test(), classes);
    return Probabilities.accuracy(net, test, plan.batchSize(), new LoggingProgress());
  }

  private FileImages images(List<ImageFile> files, int classes) {
    return new FileImages(files, classes, Views.PLAIN, backbone.size(), backbone.pixels(), 1);
  }
}
