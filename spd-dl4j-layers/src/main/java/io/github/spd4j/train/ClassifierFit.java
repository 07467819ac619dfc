/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.linalg.RidgeClassifier;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.params.DefaultParamInitializer;
import org.nd4j.linalg.activations.impl.ActivationSoftmax;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Fits the classifier of a head in closed form. Gradient descent is slow to find it: the vectors of
 * different images are nearly parallel.
 */
final class ClassifierFit {

  /** The eigendecomposition takes seconds up to here. */
  private static final int MOST_IMAGES = 2000;

  /** The vectors of the images take at most 1 GiB of FLOAT. */
  private static final long MOST_NUMBERS = 1L << 28;

  private final ComputationGraph head;
  private final Batches training;
  private final TrainingPlan plan;

  ClassifierFit(ComputationGraph head, Batches training, TrainingPlan plan) {
    this.head = head;
    this.training = training;
    this.plan = plan;
  }

  /**
   * Fits the classifier.
   *
   * @return what was done, or why it was not, for people
   */
  String fit() {
    String name = head.getConfiguration().getNetworkOutputs().get(0);
    Layer layer = head.getLayer(name);
    List<String> inputs = head.getConfiguration().getVertexInputs().get(name);
    Map<String, INDArray> parameters = layer.paramTable();
    if (inputs.size() != 1 || !parameters.keySet().equals(Set.of("W", "b")) || !isSoftmax(layer)) {
      return "The classifier stays as it was learnt: '" + name + "' is not a plain softmax layer";
    }
    INDArray weights = parameters.get(DefaultParamInitializer.WEIGHT_KEY);
    int[] images = sample(weights.size(0));
    if (images.length < 3) {
      return "The classifier stays as it was learnt: too few images to fit it in closed form";
    }
    int[] labels = Arrays.stream(images).map(training::label).toArray();
    RidgeClassifier fitted =
        RidgeClassifier.fit(vectors(inputs.get(0), images), labels, training.classes());
    weights.assign(fitted.weights());
    INDArray bias = parameters.get(DefaultParamInitializer.BIAS_KEY);
    bias.assign(fitted.bias().reshape(bias.shape()));
    return String.format(
        Locale.ROOT,
        "The classifier is fitted by ridge regression to %d images, of which %.1f %% are answered"
            + " rightly when left out",
        images.length,
        100 * fitted.leaveOneOutAccuracy());
  }

  private static boolean isSoftmax(Layer layer) {
    org.deeplearning4j.nn.conf.layers.Layer conf = layer.conf().getLayer();
    return conf instanceof org.deeplearning4j.nn.conf.layers.OutputLayer
        && ((org.deeplearning4j.nn.conf.layers.OutputLayer) conf).getActivationFn()
            instanceof ActivationSoftmax;
  }

  private int[] sample(long length) {
    int most = (int) Math.min(MOST_IMAGES, MOST_NUMBERS / length);
    int[] order = Seeds.order(training.size(), plan.seed());
    return Arrays.copyOf(order, Math.min(most, order.length));
  }

  /** What the classifier sees of some images. */
  private INDArray vectors(String vertex, int[] images) {
    INDArray all = null;
    for (int start = 0; start < images.length; start += plan.batchSize()) {
      int end = Math.min(images.length, start + plan.batchSize());
      INDArray inputs = training.inputs(Arrays.copyOfRange(images, start, end), 0);
      INDArray batch = head.feedForward(inputs, false).get(vertex);
      if (all == null) {
        all = Nd4j.createUninitialized(batch.dataType(), images.length, batch.size(1));
      }
      all.get(NDArrayIndex.interval(start, end), NDArrayIndex.all()).assign(batch);
    }
    return all;
  }
}
