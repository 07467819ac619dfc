/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.backbones.Vgg16;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageCheck;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.Views;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.train.TwoStageTrainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * Trains a head on images of your own: a folder with a subfolder of images for each class. Leaves
 * {@code model.zip} for {@code Serving}.
 */
public final class OwnImages {

  private OwnImages() {}

  /**
   * Trains a head on VGG-16.
   *
   * @param args the folder of the images and a folder for the model
   * @throws IOException if the model cannot be written
   */
  public static void main(String[] args) throws IOException {
    Head head = Head.spdRoot(256).convolution(512).identityStart().scale(10);
    Path model = run(Vgg16.pretrained(), head, Path.of(args[0]), Path.of(args[1]));
    System.out.println("Written: " + model);
  }

  /**
   * Trains and writes the model.
   *
   * @param backbone the network to put the head on
   * @param head the head
   * @param folder the images, in a subfolder for each class
   * @param out where the model goes
   * @return the file of the model
   * @throws IOException if it cannot be written
   */
  public static Path run(Backbone backbone, Head head, Path folder, Path out) throws IOException {
    ImageCheck check = ImageCheck.of(DataSetKind.FOLDERS.read(folder), done -> {});
    check.skipped().forEach(problem -> System.err.println("Left out: " + problem));
    ImageDataSet images = check.sound();
    int classes = images.classes().size();
    ComputationGraph net = SpdGraft.onto(backbone).head(head).classes(classes).seed(1).build();
    Views views = Views.PLAIN;
    TwoStageTrainer.builder(net)
        .plan(head.recommendedPlan())
        .training(
            new FileImages(images.images(), classes, views, backbone.size(), backbone.pixels(), 1))
        .withoutValidation()
        .build()
        .train();
    Files.createDirectories(out);
    Path model = out.resolve("model.zip");
    ImageClassifier.save(net, backbone.card(images.classes(), views), model);
    return model;
  }
}
