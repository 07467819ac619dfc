/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.features.CutNetwork;
import io.github.spd4j.train.features.Fingerprint;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.TrainingPlan;
import java.util.LinkedHashMap;
import java.util.Map;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;

/** All that the trained weights depend on, except the weights at the start. */
final class TrainingFingerprint {

  private TrainingFingerprint() {}

  static Map<String, String> of(
      TrainingPlan plan, CutNetwork backbone, LabelledImages training, LabelledImages validation) {
    Map<String, String> settings = new LinkedHashMap<>();
    plan.settings().forEach((name, value) -> settings.put(name, value.toString()));
    settings.put("cut", backbone.cut());
    settings.put("network", Fingerprint.ofText(layout(backbone.net())));
    settings.put("training images", Fingerprint.ofImages(training));
    settings.put(
        "validation images", validation == null ? "none" : Fingerprint.ofImages(validation));
    return settings;
  }

  private static String layout(ComputationGraph net) {
    StringBuilder layout = new StringBuilder(net.getConfiguration().getDataType().toString());
    for (GraphVertex vertex : net.getVertices()) {
      layout.append(' ').append(vertex.getVertexName());
      if (vertex.hasLayer()) {
        Layer layer = vertex.getLayer();
        layout.append(layer.conf().getLayer().getClass().getSimpleName());
        layer.paramTable().forEach((name, p) -> layout.append(name).append(p.shapeInfoToString()));
      }
    }
    return layout.toString();
  }
}
