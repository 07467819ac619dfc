/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.backbones.Vgg16;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.Views;
import io.github.spd4j.spark.SparkCluster;
import io.github.spd4j.spark.SparkEngine;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.plan.TrainingPlan;
import java.nio.file.Path;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * Trains on the executors of a Spark cluster, on a folder with a subfolder of images for each class
 * that all machines see at the same path.
 */
public final class SparkTraining {

  /** The paper's head without transforms: a kernel matrix, normalised. */
  static final Head HEAD = Head.spd().powerFloor(0.1).scale(10);

  private SparkTraining() {}

  /**
   * Trains a head on VGG-16.
   *
   * @param args the master, such as {@code spark://HOST:7077}, the folder of the images, and a
   *     folder for checkpoints and the model, which all machines see too
   */
  public static void main(String[] args) {
    Path out = Path.of(args[2]);
    run(args[0], Vgg16.pretrained(), Path.of(args[1]), out, HEAD.recommendedPlan());
    System.out.println("Written: " + out.resolve(TwoStageTrainer.MODEL));
  }

  /**
   * Trains.
   *
   * @param master the master of the cluster
   * @param backbone the network to put the head on
   * @param folder the images, in a subfolder for each class
   * @param out where features, checkpoints and the model go
   * @param plan the plan
   * @return what was learnt, epoch by epoch
   */
  public static TrainingResult run(
      String master, Backbone backbone, Path folder, Path out, TrainingPlan plan) {
    ImageDataSet images = DataSetKind.FOLDERS.read(folder);
    int classes = images.classes().size();
    ComputationGraph net = SpdGraft.onto(backbone).head(HEAD).classes(classes).build();
    try (SparkCluster cluster = SparkCluster.connect(master, "spd")) {
      SparkEngine engine = cluster.engine(out.resolve("parts").toUri().toString());
      return TwoStageTrainer.builder(net)
          .plan(plan)
          .training(
              new FileImages(
                  images.images(), classes, Views.PLAIN, backbone.size(), backbone.pixels(), 1))
          .withoutValidation()
          .featureCache(FeatureCache.inFolder(out.resolve("features")).computedBy(engine))
          .engine(engine)
          .folder(out)
          .build()
          .train();
    }
  }
}
