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
import io.github.spd4j.train.Probabilities;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.LoggingProgress;
import java.nio.file.Path;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The paper's head on a frozen VGG-16, on the Describable Textures Dataset: crops of the training
 * images, and predictions that are the mean over five crops of a test image.
 */
public final class Textures {

  private static final int BATCH = 32;

  private Textures() {}

  /**
   * Trains on the first random partition and prints the accuracy.
   *
   * @param args the folder of the data set
   */
  public static void main(String[] args) {
    ComputationGraph vgg = Vgg16.pretrained();
    String cut = Vgg16.convolution(vgg, 5, 3);
    System.out.printf("accuracy: %.3f%n", run(vgg, cut, 224, Path.of(args[0]), 30));
  }

  /**
   * Trains and tests.
   *
   * @param backbone a network that takes images as {@link Vgg16#PIXELS}
   * @param cut its last layer that is kept, a convolution
   * @param size height and width of the images
   * @param folder the folder of the data set
   * @param epochs the most epochs
   * @return the accuracy on the test images
   */
  public static double run(
      ComputationGraph backbone, String cut, int size, Path folder, int epochs) {
    ImageDataSet textures = DataSetKind.DTD.read(folder);
    Partition partition = DataSetKind.DTD.partitions(textures, 1, 0.1).get(0);
    int classes = textures.classes().size();
    ComputationGraph net =
        SpdGraft.onto(backbone)
            .after(cut)
            .inputType(InputType.convolutional(size, size, 3))
            .head(Head.spd().powerFloor(0.1).scale(10))
            .classes(classes)
            .seed(1)
            .build();
    Acceleration.applyTo(net);
    TwoStageTrainer.builder(net, cut)
        .plan(
            TrainingPlan.recommended().toBuilder()
                .epochs(Stage.HEAD, epochs)
                .epochs(Stage.WHOLE, 0)
                .batchSize(BATCH)
                .build())
        .training(
            new FileImages(
                partition.training(), classes, Views.FIFTEEN_CROPS, size, Vgg16.PIXELS, 1))
        .validation(
            new FileImages(
                partition.validation(), classes, Views.FIVE_CROPS, size, Vgg16.PIXELS, 1))
        .progress(new LoggingProgress())
        .build()
        .train();
    FileImages test =
        new FileImages(partition.test(), classes, Views.FIVE_CROPS, size, Vgg16.PIXELS, 1);
    return accuracy(Probabilities.ofImages(net, test, BATCH, new LoggingProgress()), partition);
  }

  private static double accuracy(INDArray probabilities, Partition partition) {
    int images = partition.test().size();
    long classes = probabilities.size(1);
    int[] best = probabilities.reshape('c', images, -1, classes).mean(1).argMax(1).toIntVector();
    int right = 0;
    for (int i = 0; i < images; i++) {
      right += best[i] == partition.test().get(i).label() ? 1 : 0;
    }
    return (double) right / images;
  }
}
