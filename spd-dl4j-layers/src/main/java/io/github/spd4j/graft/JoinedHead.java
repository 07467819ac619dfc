/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import java.util.Optional;
import org.deeplearning4j.nn.conf.graph.L2NormalizeVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.ScaleVertex;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * A head whose vector is joined with that of the backbone's last fully connected layer before its
 * classifier, or, of a backbone without fully connected layers, with the mean of each feature map
 * at the cut. The joined vector is divided by its length.
 *
 * <p>Fully connected layers bind the network to one size of images.
 */
public final class JoinedHead extends Head {

  private final VectorHead<?> head;

  JoinedHead(VectorHead<?> head) {
    this.head = head;
  }

  @Override
  String foot(Backbone backbone, Cut cut) {
    return FullyConnectedHead.connected(backbone, cut);
  }

  @Override
  int grow(Stem stem, Part convolution, Part transforms) {
    String foot = stem.tip();
    Cut cut = stem.cut();
    stem.growFrom(cut.layer());
    int length = head.grow(stem, convolution, transforms);
    String vector = stem.tip();

    Optional<String> classifier = FullyConnectedHead.ownClassifier(stem.backbone(), cut);
    stem.growFrom(foot);
    if (classifier.isEmpty()) {
      stem.add(SpdGraft.AVERAGE, AveragePoolingHead.pooling(stem.format()));
    }
    stem.add(SpdGraft.UNIT, new L2NormalizeVertex());
    if (head.scale() != 1) {
      stem.add(SpdGraft.SCALED, new ScaleVertex(head.scale()));
    }
    stem.add(SpdGraft.JOINED, new MergeVertex(), vector, stem.tip());
    int other =
        classifier
            .map(name -> FullyConnectedHead.inputsOf(stem.backbone().layer(name)))
            .orElse(cut.channels());
    return Math.addExact(length, other);
  }

  @Override
  void start(ComputationGraph net) {
    head.start(net);
  }
}
