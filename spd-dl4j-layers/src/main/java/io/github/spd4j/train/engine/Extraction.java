/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.engine;

import io.github.spd4j.train.images.LabelledImages;
import java.util.Iterator;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Computes features with a backbone: on this machine, or elsewhere. */
public interface Extraction {

  /**
   * The features of a set of images, from one image on.
   *
   * <p>It is called for every set whose features are asked for, also if none is missing.
   *
   * @param backbone a network that ends at the cut
   * @param images the images, of one size
   * @param key tells sets of images and backbones apart: 64 hexadecimal digits
   * @param first the number of the first image whose features are missing
   * @param batchSize images per run of the backbone
   * @return batches of features of the images from the first on, in their order
   */
  Iterator<INDArray> features(
      ComputationGraph backbone, LabelledImages images, String key, int first, int batchSize);
}
