/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.experiments;

import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.train.LabelledImages;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Makes one rate fit the classifiers of all heads. The largest rate at which a linear classifier
 * learns goes with 1 / ‖v‖² of its input v. The recommended rate is for vectors of length {@code
 * scale}; the means of feature maps, or fully connected layers, may be much longer.
 */
final class RateBalance {

  private static final int SAMPLE = 16;

  private RateBalance() {}

  /**
   * The factor for the classifier's rate.
   *
   * @param net the untrained network
   * @param images the training images, of which some are looked at
   * @param scale the length that the rate is for
   * @return at most 1, a power of 2, so that rounding on another machine does not change it
   */
  static double factor(ComputationGraph net, LabelledImages images, double scale) {
    INDArray vectors = vectors(net, sample(images));
    double square = vectors.mul(vectors).sum(1).meanNumber().doubleValue();
    double ratio = scale * scale / Math.max(square, Double.MIN_NORMAL);
    return Math.min(1, Math.pow(2, Math.round(Math.log(ratio) / Math.log(2))));
  }

  /** Images from all over the set, as they are sorted by class. */
  private static INDArray sample(LabelledImages images) {
    int count = Math.min(SAMPLE, images.size());
    INDArray[] sample = new INDArray[count];
    for (int i = 0; i < count; i++) {
      sample[i] = images.image((int) ((long) i * images.size() / count));
    }
    return Nd4j.concat(0, sample);
  }

  private static INDArray vectors(ComputationGraph net, INDArray images) {
    Map<String, List<String>> inputs = net.getConfiguration().getVertexInputs();
    return net.feedForward(images, false).get(inputs.get(SpdGraft.CLASSIFIER).get(0));
  }
}
