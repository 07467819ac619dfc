/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import org.deeplearning4j.nn.conf.graph.L2NormalizeVertex;
import org.deeplearning4j.nn.conf.graph.ScaleVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
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
  String foot(Cut cut) {
    return FullyConnectedHead.last(cut);
  }

  @Override
  void grow(Stem stem, PartSettings convolution, PartSettings transforms) {
    head.grow(stem, convolution, transforms);
    String vector = stem.tip();
    InputType vectorType = stem.type();

    if (!FullyConnectedHead.growFromLast(stem)) {
      stem.growFrom(stem.cut().layer(), stem.cut().maps());
      stem.add(SpdGraft.AVERAGE, AveragePoolingHead.pooling(stem.type()));
    }
    stem.add(SpdGraft.UNIT, new L2NormalizeVertex());
    if (head.scale() != 1) {
      stem.add(SpdGraft.SCALED, new ScaleVertex(head.scale()));
    }
    stem.join(SpdGraft.JOINED, vector, vectorType);
  }

  @Override
  void start(ComputationGraph net) {
    head.start(net);
  }
}
