/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.datasets.Partition;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.backbones.Vgg16;
import io.github.spd4j.images.Views;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.LoggingProgress;
import java.nio.file.Path;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * A head with a matrix square root on CUB-200-2011, trained in two stages: first the head on
 * features of the frozen backbone, then the whole network. If it is stopped, it goes on from its
 * last epoch.
 */
public final class FineGrained {

  private FineGrained() {}

  /**
   * Trains and prints the accuracy on validation images.
   *
   * @param args the folder of the data set and a folder for checkpoints and the trained network
   */
  public static void main(String[] args) {
    ComputationGraph vgg = Vgg16.pretrained();
    String cut = Vgg16.convolution(vgg, 5, 3);
    TrainingResult result = run(vgg, cut, 224, Path.of(args[0]), Path.of(args[1]), 30);
    System.out.printf("accuracy: %.3f%n", result.bestAccuracy());
  }

  /**
   * Trains.
   *
   * @param backbone a network that takes images as {@link Vgg16#PIXELS}
   * @param cut its last layer that is kept, a convolution
   * @param size height and width of the images
   * @param birds the folder of the data set
   * @param folder for checkpoints, features and the trained network
   * @param epochs the most epochs of each stage
   * @return what was learnt, epoch by epoch
   */
  public static TrainingResult run(
      ComputationGraph backbone, String cut, int size, Path birds, Path folder, int epochs) {
    ImageDataSet set = DataSetKind.CUB.read(birds);
    Partition official = DataSetKind.CUB.partitions(set, 1, 0.3).get(0);
    int classes = set.classes().size();
    int maps = SpdGraft.onto(backbone).after(cut).featureMaps();
    ComputationGraph net =
        SpdGraft.onto(backbone)
            .after(cut)
            .inputType(InputType.convolutional(size, size, 3))
            .head(Head.spdRoot(maps / 2).convolution(maps).identityStart().scale(10))
            .classes(classes)
            .seed(1)
            .build();
    Acceleration.applyTo(net);
    TrainingPlan plan =
        TrainingPlan.recommended().toBuilder()
            .epochs(Stage.HEAD, epochs)
            .epochs(Stage.WHOLE, epochs)
            .build();
    return TwoStageTrainer.builder(net, cut)
        .plan(plan)
        .training(new FileImages(official.training(), classes, Views.PLAIN, size, Vgg16.PIXELS, 1))
        .validation(
            new FileImages(official.validation(), classes, Views.PLAIN, size, Vgg16.PIXELS, 1))
        .featureCache(FeatureCache.inFolder(folder.resolve("features")))
        .folder(folder)
        .progress(new LoggingProgress())
        .build()
        .train();
  }
}
