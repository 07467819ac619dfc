/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.models.SafeModels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;

/** A network of somebody else's, about which nothing is known. */
final class ForeignGraph {

  private static final int SIZE = 224;

  /** How many layers a message names. */
  private static final int NAMED = 6;

  private ForeignGraph() {}

  static Backbone load(Path place, String cut, PixelFormat pixels) throws IOException {
    ComputationGraph net = SafeModels.loadGraph(place);
    List<String> cuts = cuts(net);
    if (!cuts.contains(cut)) {
      throw new IllegalArgumentException(
          String.format(
              "expected --cut with a layer of %s that puts out feature maps, the last of which are"
                  + " %s; got %s",
              place,
              String.join(", ", cuts.subList(Math.max(0, cuts.size() - NAMED), cuts.size())),
              cut == null ? "none" : cut + Suggestion.of(cut, cuts)));
    }
    if (pixels == null) {
      throw new IllegalArgumentException(
          "expected --pixels, the numbers that it takes for colours, such as caffe, zero-one or"
              + " torch; got none");
    }
    return new Backbone(place.getFileName().toString(), net, cut, pixels, SIZE);
  }

  /** The layers that can be cut after. */
  private static List<String> cuts(ComputationGraph net) {
    return Stream.of(net.topologicalSortOrder())
        .flatMapToInt(IntStream::of)
        .mapToObj(index -> net.getVertices()[index].getVertexName())
        .filter(name -> hasMaps(net, name))
        .toList();
  }

  private static boolean hasMaps(ComputationGraph net, String vertex) {
    try {
      return SpdGraft.onto(Backbone.of(net, vertex)).featureMaps() > 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
