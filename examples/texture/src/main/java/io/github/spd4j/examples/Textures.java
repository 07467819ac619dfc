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
import io.github.spd4j.datasets.ImageDataSet;
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
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.LoggingProgress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * The paper's tables for textures: each method on VGG-16, with the paper's accuracy beside ours.
 *
 * <p>By the paper's protocol: training images are seen in fifteen crops, test images in five, whose
 * probabilities are averaged, and figures are means over the data set's partitions.
 */
public final class Textures {

  /** A method, the paper's accuracies on DTD, FMD and KTH-TIPS-2b in percent, and its head. */
  record Row(String method, double dtd, double fmd, double kth, Head head) {

    double paper(DataSetKind set) {
      return switch (set) {
        case DTD, DTD_OFFICIAL -> dtd;
        case FMD -> fmd;
        case KTH_TIPS_2B -> kth;
        default -> Double.NaN;
      };
    }
  }

  /** The accuracies of a method in percent, one for each partition. */
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

  Textures(Backbone backbone, Path out, int epochsHead, int epochsWhole) {
    this.backbone = backbone;
    this.out = out;
    this.epochsHead = epochsHead;
    this.epochsWhole = epochsWhole;
    this.features = FeatureCache.inFolder(out.resolve("features")); // the same for all methods
  }

  /**
   * Trains and tests each method, and prints a row for it.
   *
   * @param args the data set, {@code dtd}, {@code fmd} or {@code kth_tips_2b}; its folder; a folder
   *     for features and checkpoints; and how many epochs the whole network goes on learning: none
   *     unless given, since that takes a GPU
   */
  public static void main(String[] args) {
    DataSetKind set = DataSetKind.valueOf(args[0].toUpperCase(Locale.ROOT));
    int epochsWhole = args.length > 3 ? Integer.parseInt(args[3]) : 0;
    new Textures(Vgg16.pretrained(), Path.of(args[2]), 10, epochsWhole).run(set, Path.of(args[1]));
  }

  /** The paper's Table 1, then what its Table 2 adds. */
  static List<Row> rows(int maps) {
    int few = Math.min(128, maps);
    int many = Math.min(512, maps);
    double nan = Double.NaN;
    return List.of(
        new Row("FV-CNN", 67.3, 73.5, 73.3, Head.fisherVectors(few).scale(10)),
        new Row(
            "FV-FC-CNN", 69.8, 76.4, 73.8, Head.fisherVectors(few).scale(10).withFullyConnected()),
        new Row("B-CNN", 67.9, 77.8, 79.7, Head.bilinear().powerFloor(0.1).scale(10)),
        new Row( // the paper has it on a ResNet-50
            "Deep-TEN",
            nan,
            80.2,
            82.0,
            Head.deepTen().convolution(few).batchNormalization().scale(10)),
        new Row("VGG-16", 66.8, 77.8, 78.3, Head.fullyConnected()),
        new Row("ours", 68.9, 79.2, 81.1, ours(many)),
        new Row(
            "512 conv 1×1 + B-CNN",
            66.3,
            74.9,
            77.9,
            Head.bilinear().convolution(many).identityStart().powerFloor(0.1).scale(10)),
        new Row(
            "512 conv 1×1 + VGG-16",
            64.5,
            74.3,
            76.7,
            Head.averagePooling().convolution(many).identityStart()),
        new Row("kernel alone", 66.8, 76.7, 81.0, Head.kernelOnly().scale(10.0 / maps)),
        new Row(
            "128 conv 1×1 + kernel alone",
            67.8,
            78.3,
            81.1,
            Head.kernelOnly().convolution(few).scale(10.0 / few)),
        new Row(
            "512 conv 1×1 + kernel alone",
            67.1,
            78.6,
            81.3,
            Head.kernelOnly().convolution(many).identityStart().scale(10.0 / many)));
  }

  /** The paper's own head: convolution, kernel matrix, transform, vector. */
  private static Head ours(int maps) {
    return Head.spd(maps).convolution(maps).identityStart().powerFloor(0.1).scale(10);
  }

  List<Result> run(DataSetKind set, Path folder) {
    ImageDataSet images = set.read(folder);
    int classes = images.classes().size();
    FileImages crops = views(images.images(), classes, Views.FIFTEEN_CROPS);
    List<Result> results = new ArrayList<>();
    System.out.printf("%-28s %6s %6s%n", set.title(), "paper", "here");
    for (Row row : rows(SpdGraft.onto(backbone).featureMaps())) {
      List<Double> accuracies = new ArrayList<>();
      for (Partition partition : partitions(set, images)) {
        LabelledImages training = crops.only(partition.training()); // features are of all crops
        FileImages test = views(partition.test(), classes, Views.FIVE_CROPS);
        accuracies.add(100 * accuracy(row.head(), training, test));
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

  /** One for each sample of KTH-TIPS-2b that trains; of the others three random ones. */
  private static List<Partition> partitions(DataSetKind set, ImageDataSet images) {
    return IntStream.rangeClosed(1, set == DataSetKind.KTH_TIPS_2B ? 1 : 3)
        .mapToObj(seed -> set.partitions(images, seed, 0))
        .flatMap(List::stream)
        .toList();
  }

  private double accuracy(Head head, LabelledImages training, LabelledImages test) {
    ComputationGraph net =
        SpdGraft.onto(backbone).head(head).classes(training.classes()).seed(1).build();
    Acceleration.applyTo(net);
    TrainingPlan plan =
        head.recommendedPlan().toBuilder()
            .epochs(Stage.HEAD, epochsHead)
            .epochs(Stage.WHOLE, epochsWhole)
            .build();
    if (FisherVectors.areIn(net)) { // their mixture is fitted before anything learns
      try (Features known =
          features.features(net, training, plan.batchSize(), new LoggingProgress())) {
        FisherVectors.of(net).seed(1).fit(known);
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
    return Probabilities.accuracy(net, test, plan.batchSize(), new LoggingProgress());
  }

  private FileImages views(List<ImageFile> files, int classes, Views views) {
    return new FileImages(files, classes, views, backbone.size(), backbone.pixels(), 1);
  }
}
