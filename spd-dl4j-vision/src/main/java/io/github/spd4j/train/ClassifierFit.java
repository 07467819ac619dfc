/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.internal.dl4j.Subgraph;
import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.images.ReadAhead;
import io.github.spd4j.statistics.RidgeClassifier;
import io.github.spd4j.statistics.RidgeExamples;
import io.github.spd4j.statistics.RidgeProgress;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.params.DefaultParamInitializer;
import org.nd4j.linalg.activations.impl.ActivationSoftmax;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Fits the classifier of a network in closed form, to what the rest of the network makes of images.
 * Gradient descent is slow to find it: the vectors of different images are nearly parallel.
 */
final class ClassifierFit {

  /** Fewer pictures than this are too few to fit anything to one half of them. */
  private static final int FEWEST_PICTURES = 6;

  /** How far a step may move a score, in shares of a vector that tell images apart. */
  private static final double BEARABLE = 2;

  /** With less, a classifier would hardly move: so few images are too few to tell. */
  private static final double LEAST_LIMIT = 1e-5;

  /** So many images tell what their vectors have in common. */
  private static final int MOST_FOR_RATE = 128;

  private final ComputationGraph net;
  private final ImageBatches training;
  private final TrainingProgress progress;
  private final String output;

  /**
   * The fit of a network's classifier, if there is no {@linkplain #reasonAgainst reason against}.
   */
  ClassifierFit(ComputationGraph net, ImageBatches training, TrainingProgress progress) {
    this.net = net;
    this.training = training;
    this.progress = progress;
    this.output = outputOf(net);
  }

  private static String outputOf(ComputationGraph net) {
    return net.getConfiguration().getNetworkOutputs().get(0);
  }

  /** Why a network's classifier is not fitted, if it is not. */
  static Optional<String> reasonAgainst(
      ClassifierTraining how, ComputationGraph net, ImageBatches training) {
    if (how == ClassifierTraining.LEARNT) {
      return Optional.of("the plan says so");
    }
    if (!isPlainSoftmax(net, outputOf(net))) {
      return Optional.of("'" + outputOf(net) + "' is not a plain softmax layer");
    }
    return PictureGroups.count(training) < FEWEST_PICTURES
        ? Optional.of("there are too few pictures")
        : Optional.empty();
  }

  private static boolean isPlainSoftmax(ComputationGraph net, String output) {
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

  private long inputs() {
    return net.getLayer(output).paramTable().get(DefaultParamInitializer.WEIGHT_KEY).size(0);
  }

  /** Why the classifier is not fitted to so many images but to some of them, if it is not. */
  Optional<String> limit(int images) {
    int most = RidgeClassifier.mostExamples(inputs());
    return most >= images
        ? Optional.empty()
        : Optional.of(
            String.format(
                "The classifier is fitted to %d of %d training images: for more, with %d inputs of"
                    + " '%s', there is no memory. ClassifierTraining.LEARNT learns from all",
                most, images, inputs(), output));
  }

  /**
   * Fits the classifier.
   *
   * @param images numbers of training images in a random order; the first are used if there is a
   *     {@linkplain #limit limit}
   */
  void fitTo(int[] images) {
    int most = Math.min(images.length, RidgeClassifier.mostExamples(inputs()));
    int[] used = PictureGroups.together(training, Arrays.copyOf(images, most));
    Layer layer = net.getLayer(output);
    INDArray weights = layer.paramTable().get(DefaultParamInitializer.WEIGHT_KEY);
    INDArray bias = layer.paramTable().get(DefaultParamInitializer.BIAS_KEY);
    try (ClassifierInputs vectors = new ClassifierInputs(used, weights.size(0))) {
      RidgeClassifier fitted =
          RidgeClassifier.fit(
              vectors, training.labels(used), training.pictures(used), training.classes(), vectors);
      weights.assign(fitted.weights());
      bias.assign(fitted.bias().reshape(bias.shape()));
      fitted.weights().close();
    }
  }

  /**
   * The rate of Adam that the classifier's inputs bear: {@link
   * io.github.spd4j.train.plan.TrainingPlan.Builder#limitClassifierRate} says why.
   *
   * @param images numbers of training images in a random order; the first are used
   * @return nothing for a classifier that is no plain softmax layer, or for too few images
   */
  OptionalDouble rateLimit(int[] images) {
    if (!isPlainSoftmax(net, output)) {
      return OptionalDouble.empty();
    }
    int[] some = Arrays.copyOf(images, Math.min(images.length, MOST_FOR_RATE));
    try (ClassifierInputs vectors = new ClassifierInputs(some, inputs())) {
      INDArray seen = vectors.read(0, some.length);
      double all = seen.norm1Number().doubleValue() / some.length;
      seen.subiRowVector(seen.mean(0));
      double apart = seen.norm1Number().doubleValue() / some.length;
      seen.close();
      double limit = BEARABLE * apart / (all * all);
      return limit > 0 && Double.isFinite(limit)
          ? OptionalDouble.of(Math.max(limit, LEAST_LIMIT))
          : OptionalDouble.empty();
    }
  }

  /** What the classifier sees of some images. */
  private final class ClassifierInputs implements RidgeExamples, RidgeProgress, AutoCloseable {
    private final int[] images;
    private final long length;
    private final ComputationGraph upToThere;

    ClassifierInputs(int[] images, long length) {
      this.images = images;
      this.length = length;
      // A network that ends there keeps no more than its output outside of workspaces.
      String vertex = net.getConfiguration().getVertexInputs().get(output).get(0);
      this.upToThere = Subgraph.upTo(net, vertex);
    }

    @Override
    public long length() {
      return length;
    }

    @Override
    public DataType type() {
      return net.getConfiguration().getDataType();
    }

    @Override
    public INDArray read(int first, int end) {
      INDArray block = Nd4j.createUninitialized(type(), new long[] {end - first, length}, 'c');
      long done = 0;
      List<int[]> batches = training.split(Arrays.copyOfRange(images, first, end));
      try (ReadAhead<INDArray> ahead = training.ahead(batches)) {
        while (ahead.hasNext()) {
          INDArray vectors = upToThere.output(false, ahead.next())[0];
          long next = done + vectors.size(0);
          block
              .get(NDArrayIndex.interval(done, next), NDArrayIndex.all())
              .assign(vectors.reshape(vectors.size(0), length));
          vectors.close();
          done = next;
        }
      }
      return block;
    }

    @Override
    public void examplesDone(long done, long total) {
      progress.fitDone(done, total);
    }

    /** Frees the parameters. DL4J's own close() collects the garbage of the whole heap, twice. */
    @Override
    public void close() {
      if (upToThere.params() != null) {
        upToThere.params().close();
      }
    }
  }
}
