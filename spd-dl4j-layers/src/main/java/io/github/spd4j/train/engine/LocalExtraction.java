/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.engine;

import io.github.spd4j.train.images.LabelledImages;
import java.util.Iterator;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Runs the backbone here, batch after batch. */
public final class LocalExtraction implements Extraction {

  /** Without settings. */
  public LocalExtraction() {}

  @Override
  public Iterator<INDArray> features(
      ComputationGraph backbone, LabelledImages images, String key, int first, int batchSize) {
    Batches inputs = Batches.ofImages(images, backbone);
    int batches = (images.size() - first + batchSize - 1) / batchSize;
    return IntStream.range(0, batches)
        .map(batch -> first + batch * batchSize)
        .mapToObj(
            start -> IntStream.range(start, Math.min(images.size(), start + batchSize)).toArray())
        .map(indices -> backbone.output(false, inputs.inputs(indices, 0))[0])
        .iterator();
  }
}
