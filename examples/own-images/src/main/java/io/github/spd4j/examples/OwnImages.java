/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import io.github.spd4j.backbones.Vgg16;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageCheck;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.Views;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * Trains a head on images of your own: a folder with a subfolder of images for each class. Leaves
 * {@code model.zip} for {@code Serving}.
 */
public final class OwnImages {

  /** Height and width of the images that VGG-16 was made for. */
  static final int SIZE = 224;

  private OwnImages() {}

  /**
   * Trains a head on VGG-16.
   *
   * @param args the folder of the images and a folder for the model
   * @throws IOException if the model cannot be written
   */
  public static void main(String[] args) throws IOException {
    ComputationGraph vgg = Vgg16.pretrained();
    Path model = run(vgg, Vgg16.convolution(vgg, 5, 3), SIZE, Path.of(args[0]), Path.of(args[1]));
    System.out.println("Written: " + model);
  }

  /**
   * Trains and writes the model.
   *
   * @param backbone a network that takes images as {@link Vgg16#PIXELS}
   * @param cut its last layer that is kept, a convolution
   * @param size height and width of the images
   * @param folder the images, in a subfolder for each class
   * @param out where the model goes
   * @return the file of the model
   * @throws IOException if it cannot be written
   */
  public static Path run(ComputationGraph backbone, String cut, int size, Path folder, Path out)
      throws IOException {
    ImageCheck check = ImageCheck.of(DataSetKind.FOLDERS.read(folder), done -> {});
    check.skipped().forEach(problem -> System.err.println("Left out: " + problem));
    ImageDataSet images = check.sound();
    int classes = images.classes().size();
    ComputationGraph net =
        SpdGraft.onto(backbone)
            .after(cut)
            .inputType(InputType.convolutional(size, size, 3))
            .head(Head.spd().powerFloor(0.1).scale(10))
            .classes(classes)
            .seed(1)
            .build();
    TwoStageTrainer.builder(net, cut)
        .plan(TrainingPlan.recommended().toBuilder().epochs(Stage.WHOLE, 0).build())
        .training(new FileImages(images.images(), classes, Views.PLAIN, size, Vgg16.PIXELS, 1))
        .withoutValidation()
        .build()
        .train();
    Files.createDirectories(out);
    Path model = out.resolve("model.zip");
    ModelCard card = ModelCard.of(images.classes(), size, Views.PLAIN, Vgg16.PIXELS).cut(cut);
    ImageClassifier.save(net, card, model);
    return model;
  }
}
