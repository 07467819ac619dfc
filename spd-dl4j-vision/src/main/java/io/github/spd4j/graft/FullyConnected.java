/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.internal.dl4j.GraphView;
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

/** The backbone's own fully connected layers between the cut and its classifier. */
final class FullyConnected {

  private FullyConnected() {}

  /** The vertex before the backbone's own classifier, or the cut if it has no such layers. */
  static String last(FeatureMaps maps) {
    return ownClassifier(maps)
        .map(name -> maps.backbone().inputsOf(name).get(0))
        .orElse(maps.layer());
  }

  /** Goes on from the last of them; returns false if there are none. */
  static boolean continueFromLast(HeadBuilder builder) {
    Optional<String> classifier = ownClassifier(builder.maps());
    classifier.ifPresent(
        name -> {
          FeedForwardLayer layer = (FeedForwardLayer) builder.maps().backbone().layer(name);
          builder.continueFrom(last(builder.maps()), InputType.feedForward(layer.getNIn()));
        });
    return classifier.isPresent();
  }

  /** The classifier of a backbone that has fully connected layers between it and the cut. */
  static Optional<String> ownClassifier(FeatureMaps maps) {
    GraphView backbone = maps.backbone();
    List<String> outputs = backbone.configuration().getNetworkOutputs();
    String name = outputs.size() == 1 ? outputs.get(0) : null;
    while (name != null && hasNoWeights(backbone.layer(name))) {
      name = backbone.inputsOf(name).get(0);
    }
    if (name == null || !isDense(backbone.layer(name))) {
      return Optional.empty();
    }
    Set<String> between = backbone.upTo(backbone.inputsOf(name).get(0));
    boolean behindTheCut = between.contains(maps.layer());
    between.removeAll(backbone.upTo(maps.layer()));
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
}
