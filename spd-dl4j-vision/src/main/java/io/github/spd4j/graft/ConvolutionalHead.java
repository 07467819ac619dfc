/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.params.ConvolutionParamInitializer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A head that may begin with a 1×1 convolution and a ReLU, the paper's preprocessing of the feature
 * maps.
 *
 * @param <T> the head itself
 */
@SuppressWarnings("unchecked") // T is the head itself
public abstract class ConvolutionalHead<T extends ConvolutionalHead<T>> extends Head {

  /** On birds, larger steps cost up to 13 points. */
  private static final double SMALL_RATE = 3e-4;

  private int convolution;
  private boolean identityStart;

  ConvolutionalHead() {}

  /**
   * Begins with a 1×1 convolution and a ReLU; without one unless set.
   *
   * @param channels the number of its feature maps
   * @return this head
   */
  public T convolution(int channels) {
    Validate.isTrue(
        channels >= 1, "expected a convolution to at least 1 channel, got %s", channels);
    this.convolution = channels;
    return (T) this;
  }

  /**
   * Starts the convolution as the identity, with bias 0: training sets out from the backbone's own
   * feature maps, or from the first of them if the convolution has fewer. Otherwise it starts at
   * random.
   *
   * @return this head
   */
  public T identityStart() {
    this.identityStart = true;
    return (T) this;
  }

  @Override
  public TrainingPlan recommendedPlan() {
    TrainingPlan plan = super.recommendedPlan();
    return convolution > 0 && !identityStart && wantsSmallSteps()
        ? plan.toBuilder().rate(Stage.HEAD, LayerGroup.CONVOLUTION, SMALL_RATE).build()
        : plan;
  }

  /** Whether large steps of a convolution that starts at random harm what follows it. */
  boolean wantsSmallSteps() {
    return false;
  }

  @Override
  final void grow(Stem stem, PartSettings convolution, PartSettings transforms) {
    InputTypeConvolutional maps = stem.cut().maps();
    requireIdentity(maps.getChannels());
    if (this.convolution > 0) {
      ConvolutionLayer.Builder layer =
          new ConvolutionLayer.Builder(1, 1)
              .nOut(this.convolution)
              .activation(normalisesBatches() ? Activation.IDENTITY : Activation.RELU);
      convolution.applyTo(layer);
      stem.add(
          SpdGraft.CONVOLUTION,
          layer,
          InputType.convolutional(
              maps.getHeight(), maps.getWidth(), this.convolution, maps.getFormat()));
    }
    if (normalisesBatches()) {
      stem.add(SpdGraft.BATCH_NORMALIZATION, new BatchNormalization.Builder());
      stem.add(SpdGraft.RELU, new ActivationLayer.Builder().activation(Activation.RELU));
    }
    grow(stem, transforms);
  }

  /** Whether a batch normalisation comes before the ReLU, with or without a convolution. */
  boolean normalisesBatches() {
    return false;
  }

  /** Refuses an identity whose last rows would be zero: their maps would be zero for ever. */
  private void requireIdentity(long channels) {
    Validate.isTrue(
        !identityStart || (convolution >= 1 && convolution <= channels),
        "an identity start needs a convolution to at most %d channels, as many as there are at the"
            + " cut, got %s",
        channels,
        convolution < 1 ? "none" : convolution);
  }

  /**
   * Puts the layers after the convolution on.
   *
   * @param stem where
   * @param transforms what is set for the transforms
   */
  abstract void grow(Stem stem, PartSettings transforms);

  @Override
  void start(ComputationGraph net) {
    if (identityStart) {
      String prefix = SpdGraft.CONVOLUTION + "_";
      net.getParam(prefix + ConvolutionParamInitializer.BIAS_KEY).assign(0);
      INDArray w = net.getParam(prefix + ConvolutionParamInitializer.WEIGHT_KEY).assign(0);
      for (long i = 0; i < w.size(0); i++) {
        w.putScalar(new long[] {i, i, 0, 0}, 1);
      }
    }
  }
}
