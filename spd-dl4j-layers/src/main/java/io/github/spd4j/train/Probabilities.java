/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.engine.Batches;
import io.github.spd4j.train.features.CutNetwork;
import io.github.spd4j.train.features.Features;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** The probabilities of the classes that a trained network gives images. */
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
    return run(net, Batches.ofImages(images, net), batchSize, progress);
  }

  /**
   * Runs only what comes after the cut, on features that the same backbone gave.
   *
   * @param net a network with one input and one output
   * @param cut the last vertex of the backbone
   * @param features the output of the cut for the images
   * @param images the images, which are not read
   * @param batchSize images per run
   * @return a new FLOAT array [images, classes]
   */
  public static INDArray ofFeatures(
      ComputationGraph net, String cut, Features features, LabelledImages images, int batchSize) {
    ComputationGraph head = new CutNetwork(net, cut).detachedHead();
    Batches batches = Batches.ofFeatures(features::batch, images, head);
    return run(head, batches, batchSize, new TrainingProgress() {});
  }

  private static INDArray run(
      ComputationGraph net, Batches batches, int batchSize, TrainingProgress progress) {
    int size = batches.size();
    INDArray all = Nd4j.create(DataType.FLOAT, size, batches.classes());
    for (int start = 0; start < size; start += batchSize) {
      int end = Math.min(size, start + batchSize);
      INDArray inputs = batches.inputs(IntStream.range(start, end).toArray(), 0);
      INDArray rows = all.get(NDArrayIndex.interval(start, end), NDArrayIndex.all());
      rows.assign(net.outputSingle(false, inputs).castTo(DataType.FLOAT));
      progress.featuresDone(end, size);
    }
    return all;
  }
}
