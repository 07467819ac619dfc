/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.preprocessor.CnnToFeedForwardPreProcessor;
import org.nd4j.linalg.activations.Activation;

/**
 * The backbone's own fully connected layers, or new ones like VGG16's.
 *
 * <p>Both bind the network to one size of images. {@link SpdGraft#frozenBackbone} leaves them
 * trainable: it freezes what lies before the cut.
 */
public final class FullyConnectedHead extends Head {

  private static final int POOL = 2;
  private static final int LAYERS = 2;
  private static final int WIDTH = 4096;
  private static final double RETAINED = 0.5;

  private int width = WIDTH;

  FullyConnectedHead() {}

  /**
   * How wide new layers are; {@value #WIDTH} unless set. Layers of the backbone stay as they are.
   *
   * @param width at least 1
   * @return this head
   */
  public FullyConnectedHead width(int width) {
    if (width < 1) {
      throw new IllegalArgumentException("expected a width of at least 1, got " + width);
    }
    this.width = width;
    return this;
  }

  @Override
  String foot(Backbone backbone, Cut cut) {
    return connected(backbone, cut);
  }

  /** The vertex before the backbone's own classifier, or the cut if it has none. */
  static String connected(Backbone backbone, Cut cut) {
    return ownClassifier(backbone, cut)
        .map(name -> backbone.inputsOf(name).get(0))
        .orElse(cut.layer());
  }

  /** The classifier of a backbone that has fully connected layers between it and the cut. */
  static Optional<String> ownClassifier(Backbone backbone, Cut cut) {
    List<String> outputs = backbone.configuration().getNetworkOutputs();
    String name = outputs.size() == 1 ? outputs.get(0) : null;
    while (name != null && hasNoWeights(backbone.layer(name))) {
      name = backbone.inputsOf(name).get(0);
    }
    if (name == null || !isDense(backbone.layer(name))) {
      return Optional.empty();
    }
    List<String> before = backbone.upTo(backbone.inputsOf(name).get(0));
    List<String> after = new ArrayList<>(before);
    after.removeAll(backbone.upTo(cut.layer()));
    boolean others = after.stream().anyMatch(other -> isDense(backbone.layer(other)));
    return before.contains(cut.layer()) && others ? Optional.of(name) : Optional.empty();
  }

  /** A softmax or a loss of its own behind the layer with the weights, as in imported networks. */
  private static boolean hasNoWeights(Layer layer) {
    return layer instanceof LossLayer || layer instanceof ActivationLayer;
  }

  private static boolean isDense(Layer layer) {
    return layer instanceof DenseLayer || layer instanceof BaseOutputLayer;
  }

  @Override
  int grow(Stem stem, Part convolution, Part transforms) {
    return ownClassifier(stem.backbone(), stem.cut())
        .map(name -> inputsOf(stem.backbone().layer(name)))
        .orElseGet(() -> growNew(stem));
  }

  /** How long the vector is that a classifier sees. */
  static int inputsOf(Layer classifier) {
    return Math.toIntExact(((FeedForwardLayer) classifier).getNIn());
  }

  private int growNew(Stem stem) {
    stem.add(
        SpdGraft.POOLING,
        new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
            .kernelSize(POOL, POOL)
            .stride(POOL, POOL)
            .dataFormat(stem.format())
            .build());
    int height = pooled(stem.cut().height());
    int width = pooled(stem.cut().width());
    int length = stem.channels() * height * width;
    stem.add(
        SpdGraft.FULLY_CONNECTED + 0,
        layer(length),
        new CnnToFeedForwardPreProcessor(height, width, stem.channels(), stem.format()));
    for (int i = 1; i < LAYERS; i++) {
      stem.add(SpdGraft.FULLY_CONNECTED + i, layer(this.width));
    }
    return this.width;
  }

  private static int pooled(int pixels) {
    if (pixels < POOL) {
      throw new IllegalArgumentException(
          "new fully connected layers need feature maps of at least "
              + POOL
              + " by "
              + POOL
              + " pixels at the cut, got a side of "
              + pixels);
    }
    return pixels / POOL;
  }

  private DenseLayer layer(int inputs) {
    return new DenseLayer.Builder()
        .nIn(inputs)
        .nOut(width)
        .activation(Activation.RELU)
        .dropOut(RETAINED)
        .build();
  }
}
