/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.dl4j.GraphView;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
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
  String foot(Cut cut) {
    return last(cut);
  }

  /** The vertex before the backbone's own classifier, or the cut if it has none. */
  static String last(Cut cut) {
    return ownClassifier(cut).map(name -> cut.backbone().inputsOf(name).get(0)).orElse(cut.layer());
  }

  /** Grows from the backbone's own fully connected layers; returns false if it has none. */
  static boolean growFromLast(Stem stem) {
    Optional<String> classifier = ownClassifier(stem.cut());
    classifier.ifPresent(
        name -> {
          FeedForwardLayer layer = (FeedForwardLayer) stem.cut().backbone().layer(name);
          stem.growFrom(last(stem.cut()), InputType.feedForward(layer.getNIn()));
        });
    return classifier.isPresent();
  }

  /** The classifier of a backbone that has fully connected layers between it and the cut. */
  static Optional<String> ownClassifier(Cut cut) {
    GraphView backbone = cut.backbone();
    List<String> outputs = backbone.configuration().getNetworkOutputs();
    String name = outputs.size() == 1 ? outputs.get(0) : null;
    while (name != null && hasNoWeights(backbone.layer(name))) {
      name = backbone.inputsOf(name).get(0);
    }
    if (name == null || !isDense(backbone.layer(name))) {
      return Optional.empty();
    }
    Set<String> between = backbone.upTo(backbone.inputsOf(name).get(0));
    boolean behindTheCut = between.contains(cut.layer());
    between.removeAll(backbone.upTo(cut.layer()));
    boolean others = between.stream().anyMatch(other -> isDense(backbone.layer(other)));
    return behindTheCut && others ? Optional.of(name) : Optional.empty();
  }

  /** A softmax or a loss of its own behind the layer with the weights, as in imported networks. */
  private static boolean hasNoWeights(Layer layer) {
    return layer instanceof LossLayer || layer instanceof ActivationLayer;
  }

  private static boolean isDense(Layer layer) {
    return layer instanceof DenseLayer || layer instanceof BaseOutputLayer;
  }

  @Override
  void grow(Stem stem, PartSettings convolution, PartSettings transforms) {
    if (growFromLast(stem)) {
      return;
    }
    stem.cut().requireSize();
    requirePixels(Math.min(stem.cut().maps().getHeight(), stem.cut().maps().getWidth()));
    stem.add(
        SpdGraft.POOLING,
        new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
            .kernelSize(POOL, POOL)
            .stride(POOL, POOL)
            .dataFormat(stem.cut().maps().getFormat()));
    for (int i = 0; i < LAYERS; i++) {
      stem.add(
          SpdGraft.FULLY_CONNECTED + i,
          new DenseLayer.Builder().nOut(width).activation(Activation.RELU).dropOut(RETAINED));
    }
  }

  private static void requirePixels(long side) {
    if (side < POOL) {
      throw new IllegalArgumentException(
          String.format(
              "new fully connected layers need feature maps of at least %d by %d pixels at the"
                  + " cut, got a side of %d",
              POOL, POOL, side));
    }
  }
}
