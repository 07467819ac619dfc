/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.experiments.ModelCard;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.images.Views;
import io.github.spd4j.train.Probabilities;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.progress.TrainingProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The trained network of a run, which classifies images.
 *
 * @param net backbone and head, without dropout
 * @param card what is known about the network
 */
public record TrainedModel(ComputationGraph net, ModelCard card) {

  /**
   * Reads a network and what is known about it.
   *
   * @param place the folder of a run, or its {@code model.zip}
   * @return the model
   * @throws UserException if there is none
   */
  public static TrainedModel read(Path place) {
    Path file = Files.isDirectory(place) ? place.resolve(TwoStageTrainer.MODEL) : place;
    if (!Files.isRegularFile(file)) {
      throw new UserException("expected the folder of a run or its model.zip, got " + place);
    }
    ModelCard card = ModelCard.beside(file);
    try {
      ComputationGraph net = ModelSerializer.restoreComputationGraph(file.toFile(), false);
      withoutDropout(net);
      return new TrainedModel(net, card);
    } catch (IOException | RuntimeException e) {
      throw new UserException(file + ": cannot be read as a network: " + e.getMessage(), e);
    }
  }

  /** Dropout only matters to training, and its backward pass refuses to run without it. */
  private static void withoutDropout(ComputationGraph net) {
    for (Layer layer : net.getLayers()) {
      layer.conf().getLayer().setIDropout(null);
    }
  }

  /**
   * The probabilities of the classes, as the mean over the views that the network was tested with.
   *
   * @param image an image file
   * @return one for each class
   * @throws io.github.spd4j.datasets.DataSetException if it is no sound image
   */
  public double[] probabilities(Path image) {
    INDArray views =
        Probabilities.ofImages(
            net, images(image, card.views()), card.views().count(), new TrainingProgress() {});
    return views.mean(0).toDoubleVector();
  }

  /**
   * The whole image as the network takes it.
   *
   * @param image an image file
   * @return [1, 3, size, size]
   * @throws io.github.spd4j.datasets.DataSetException if it is no sound image
   */
  public INDArray whole(Path image) {
    return images(image, Views.PLAIN).image(0);
  }

  private FileImages images(Path image, Views views) {
    ImageFile file = new ImageFile(image, image.toString(), 0);
    return new FileImages(List.of(file), card.classes().size(), views, card.size(), 1)
        .as(card.pixels());
  }
}
