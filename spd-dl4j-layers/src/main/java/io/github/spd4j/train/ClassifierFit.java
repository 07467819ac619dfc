/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.statistics.RidgeClassifier;
import io.github.spd4j.train.engine.Batches;
import io.github.spd4j.train.features.CutNetwork;
import io.github.spd4j.train.plan.ClassifierTraining;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.params.DefaultParamInitializer;
import org.nd4j.linalg.activations.impl.ActivationSoftmax;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Fits the classifier of a network in closed form, to what the rest of the network makes of images.
 * Gradient descent is slow to find it: the vectors of different images are nearly parallel.
 */
final class ClassifierFit {

  /** The eigendecomposition takes seconds up to here. */
  private static final int MOST_IMAGES = 2000;

  /** The vectors of the images take at most 2 GiB of FLOAT. */
  private static final long MOST_NUMBERS = 1L << 29;

  /** Fewer images than this are too few to fit anything to one half of them. */
  private static final int FEWEST_IMAGES = 6;

  private final ComputationGraph net;
  private final Batches training;
  private final String output;
  private final ClassifierTraining how;
  private final String reasonAgainst;

  /** The fit of a network's classifier, which says itself whether there is one. */
  ClassifierFit(ComputationGraph net, Batches training, ClassifierTraining how) {
    this.net = net;
    this.training = training;
    this.output = net.getConfiguration().getNetworkOutputs().get(0);
    this.how = how;
    this.reasonAgainst = reasonAgainst();
  }

  private String reasonAgainst() {
    if (how == ClassifierTraining.LEARNT) {
      return "the plan says so";
    }
    if (!isPlainSoftmax()) {
      return "'" + output + "' is not a plain softmax layer";
    }
    return training.size() < FEWEST_IMAGES ? "there are too few images" : null;
  }

  private boolean isPlainSoftmax() {
    Layer layer = net.getLayer(output);
    return layer != null
        && layer.conf().getLayer() instanceof OutputLayer
        && ((OutputLayer) layer.conf().getLayer()).getActivationFn() instanceof ActivationSoftmax
        && layer
            .paramTable()
            .keySet()
            .equals(Set.of(DefaultParamInitializer.WEIGHT_KEY, DefaultParamInitializer.BIAS_KEY))
        && net.getConfiguration().getVertexInputs().get(output).size() == 1;
  }

  /** Whether the classifier is fitted at all. */
  boolean isPlanned() {
    return reasonAgainst == null;
  }

  /** Whether the classifier is fitted from the start, and does not learn. */
  boolean isThroughout() {
    return isPlanned() && how == ClassifierTraining.FITTED;
  }

  /** One line for people. */
  String describe() {
    if (!isPlanned()) {
      return "The classifier learns by gradient descent: " + reasonAgainst;
    }
    return "The classifier is fitted by ridge regression, "
        + (isThroughout() ? "anew after each half epoch" : "at the end of the stage");
  }

  /**
   * Fits the classifier.
   *
   * @param images numbers of training images in a random order; the first are used if there are
   *     very many
   */
  void fitTo(int[] images) {
    Layer layer = net.getLayer(output);
    INDArray weights = layer.paramTable().get(DefaultParamInitializer.WEIGHT_KEY);
    INDArray bias = layer.paramTable().get(DefaultParamInitializer.BIAS_KEY);
    int most = (int) Math.min(MOST_IMAGES, MOST_NUMBERS / weights.size(0));
    int[] used = Arrays.copyOf(images, Math.min(images.length, Math.max(FEWEST_IMAGES, most)));
    List<String> inputs = net.getConfiguration().getVertexInputs().get(output);
    INDArray vectors = vectors(inputs.get(0), used, weights.size(0));
    try {
      RidgeClassifier fitted =
          RidgeClassifier.fit(vectors, training.labels(used), training.classes());
      weights.assign(fitted.weights());
      bias.assign(fitted.bias().reshape(bias.shape()));
      fitted.weights().close();
    } finally {
      vectors.close(); // it may be a gigabyte that no garbage collector sees
    }
  }

  /** What the classifier sees of some images. */
  private INDArray vectors(String vertex, int[] images, long length) {
    INDArray all =
        Nd4j.createUninitialized(
            net.getConfiguration().getDataType(), new long[] {images.length, length}, 'c');
    // A network that ends there keeps no more than its output outside of workspaces.
    ComputationGraph upToThere = new CutNetwork(net, vertex).detachedBackbone();
    long done = 0;
    for (int[] batch : training.split(images)) {
      INDArray vectors = upToThere.output(false, training.unvaried(batch))[0];
      all.get(NDArrayIndex.interval(done, done + batch.length), NDArrayIndex.all())
          .assign(vectors.reshape(batch.length, length));
      vectors.close();
      done += batch.length;
    }
    if (upToThere.params() != null) { // DL4J 1.0.0-M1.1 fails to close a network without any
      upToThere.close();
    }
    return all;
  }
}
