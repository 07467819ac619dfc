/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.internal.engine.BackboneAndHead;
import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.images.ReadAhead;
import io.github.spd4j.train.features.Features;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** The probabilities that a trained network gives the classes of images. */
public final class Probabilities {

  private Probabilities() {}

  /**
   * Runs the whole network.
   *
   * @param net a network with one input and one output
   * @param images the images
   * @param batchSize images per run
   * @param progress is told how many images are done
   * @return a new FLOAT array [images, classes]
   */
  public static INDArray ofImages(
      ComputationGraph net, LabelledImages images, int batchSize, TrainingProgress progress) {
    Objects.requireNonNull(net, "net");
    Objects.requireNonNull(images, "images");
    Objects.requireNonNull(progress, "progress");
    return run(net, ImageBatches.ofImages(images, net, batchSize), progress);
  }

  /**
   * Runs the whole network, without a word on how far it is.
   *
   * @param net a network with one input and one output
   * @param images the images
   * @param batchSize images per run
   * @return a new FLOAT array [images, classes]
   */
  public static INDArray ofImages(ComputationGraph net, LabelledImages images, int batchSize) {
    return ofImages(net, images, batchSize, new TrainingProgress() {});
  }

  /**
   * Runs only what comes after the cut, on features that the same backbone gave.
   *
   * @param net a network with one input and one output, and a vertex {@code Backbone.MAPS}
   * @param features the output of the cut for the images
   * @param images the images, which are not read
   * @param batchSize images per run
   * @return a new FLOAT array [images, classes]
   */
  public static INDArray ofFeatures(
      ComputationGraph net, Features features, LabelledImages images, int batchSize) {
    Objects.requireNonNull(net, "net");
    Objects.requireNonNull(features, "features");
    Objects.requireNonNull(images, "images");
    ComputationGraph head = new BackboneAndHead(net).detachedHead();
    ImageBatches batches = ImageBatches.ofFeatures(features::batch, images, head, batchSize);
    return run(head, batches, new TrainingProgress() {});
  }

  /**
   * How many pictures a network classifies correctly. The probabilities of a picture are the means
   * of those of its views.
   *
   * @param net a network with one input and one output
   * @param images views of pictures, at least one
   * @param batchSize images per run
   * @param progress is told how many images are done
   * @return the share of pictures whose most probable class is theirs, 0 to 1
   */
  public static double accuracy(
      ComputationGraph net, LabelledImages images, int batchSize, TrainingProgress progress) {
    INDArray ofViews = ofImages(net, images, batchSize, progress);
    Map<Integer, List<Integer>> views =
        IntStream.range(0, images.size()).boxed().collect(Collectors.groupingBy(images::picture));
    long right =
        views.values().stream()
            .filter(
                view -> {
                  INDArray sum = ofViews.getRows(view.stream().mapToInt(i -> i).toArray()).sum(0);
                  return sum.argMax(0).getInt(0) == images.label(view.get(0));
                })
            .count();
    return (double) right / views.size();
  }

  /**
   * How many pictures a network classifies correctly, without a word on how far it is.
   *
   * @param net a network with one input and one output
   * @param images views of pictures, at least one
   * @param batchSize images per run
   * @return the share of pictures whose most probable class is theirs, 0 to 1
   */
  public static double accuracy(ComputationGraph net, LabelledImages images, int batchSize) {
    return accuracy(net, images, batchSize, new TrainingProgress() {});
  }

  private static INDArray run(
      ComputationGraph net, ImageBatches batches, TrainingProgress progress) {
    INDArray all = Nd4j.create(DataType.FLOAT, batches.size(), batches.classes());
    int done = 0;
    try (ReadAhead<INDArray> ahead = batches.ahead(batches.inOrder())) {
      while (ahead.hasNext()) {
        INDArray output = net.outputSingle(false, ahead.next());
        int end = done + (int) output.size(0);
        INDArray rows = all.get(NDArrayIndex.interval(done, end), NDArrayIndex.all());
        rows.assign(output.castTo(DataType.FLOAT));
        done = end;
        progress.featuresDone(done, batches.size());
      }
    }
    return all;
  }
}
