/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.quickstart;

import io.github.spd4j.train.TrainingProgress;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.api.iterator.DataSetIterator;

/** One pass of the backbone over the training images. */
final class BackboneEpoch {

  private final ComputationGraph net;
  private final TrainingProgress progress;
  private final int epoch;

  BackboneEpoch(ComputationGraph net, TrainingProgress progress, int epoch) {
    this.net = net;
    this.progress = progress;
    this.epoch = epoch;
  }

  void run(DataSetIterator batches) {
    int images = 0;
    double loss = 0;
    batches.reset();
    while (batches.hasNext()) {
      DataSet batch = batches.next();
      net.fit(batch);
      loss += net.score() * batch.numExamples();
      images += batch.numExamples();
      progress.batchDone(images, loss / images, Double.NaN);
    }
    progress.message(
        String.format(java.util.Locale.ROOT, "epoch %d, loss %.3f", epoch + 1, loss / images));
  }
}
