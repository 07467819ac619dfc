/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.engine;

import io.github.spd4j.train.images.LabelledImages;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Runs networks for the trainer. Without one, this machine does; {@code SparkEngine} of {@code
 * spd-dl4j-spark} does it on a cluster.
 */
public interface TrainingEngine {

  /**
   * Computes features of images with a backbone, from one image on.
   *
   * <p>It is called for every set whose features are asked for, also if none is missing.
   *
   * @param backbone a network that ends at the cut
   * @param images the images, of one size
   * @param key tells sets of images and backbones apart: 32 bytes
   * @param first the number of the first image whose features are missing
   * @param batchSize images per run of the backbone
   * @return batches of features of the images from the first on, in their order; to be closed after
   *     use, as images may be read ahead
   */
  Stream<INDArray> features(
      ComputationGraph backbone, LabelledImages images, byte[] key, int first, int batchSize);

  /**
   * Trains a network on images, each once.
   *
   * @param net the network, ready to be trained, which is changed
   * @param pass the images, and where to report what the network made of them
   * @throws io.github.spd4j.linalg.NotFiniteException if there is a number that is not finite; the
   *     epoch is then undone
   */
  void train(ComputationGraph net, TrainingPass pass);
}
