/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.engine;

import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.train.images.LabelledImages;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.linalg.api.ndarray.INDArray;

/** One batch after the other, on this machine. */
public final class LocalEngine implements TrainingEngine {

  /** Without settings. */
  public LocalEngine() {}

  @Override
  public Iterator<INDArray> features(
      ComputationGraph backbone, LabelledImages images, byte[] key, int first, int batchSize) {
    Batches inputs = Batches.ofImages(images, backbone, batchSize);
    return inputs.split(IntStream.range(first, images.size()).toArray()).stream()
        .map(indices -> backbone.output(false, inputs.inputs(indices, 0))[0])
        .iterator();
  }

  @Override
  public void train(ComputationGraph net, TrainingPass pass) {
    List<TrainingListener> listeners = List.copyOf(net.getListeners());
    try {
      for (int[] indices : pass.batches()) {
        net.setListeners(listeners);
        net.addListeners(new OutputListener(output -> pass.add(output, indices)));
        net.fit(new INDArray[] {pass.inputs(indices)}, new INDArray[] {pass.labels(indices)});
        if (!Double.isFinite(net.score())) {
          throw new NotFiniteException("the loss of a batch is " + net.score());
        }
        pass.reportProgress();
      }
    } finally {
      net.setListeners(listeners);
    }
  }
}
