/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.features.CutNetwork;
import io.github.spd4j.train.features.FeatureKey;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.TrainingPlan;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;

/** All that the weights in the end depend on, except the weights at the start. */
final class TrainingFingerprint {

  private TrainingFingerprint() {}

  static Map<String, String> of(
      TrainingPlan plan, CutNetwork backbone, LabelledImages training, LabelledImages validation) {
    Map<String, String> settings = new LinkedHashMap<>(plan.settings());
    settings.put("cut", backbone.cut());
    settings.put("network", FeatureKey.ofText(layout(backbone.net())));
    settings.put("training images", FeatureKey.ofImages(training));
    settings.put(
        "validation images", validation == null ? "none" : FeatureKey.ofImages(validation));
    return settings;
  }

  private static String layout(ComputationGraph net) {
    StringBuilder layout = new StringBuilder(net.getConfiguration().getDataType().toString());
    for (GraphVertex vertex : net.getVertices()) {
      layout.append(' ').append(vertex.getVertexName());
      if (vertex.hasLayer()) {
        layout.append(vertex.getLayer().conf().getLayer().getClass().getSimpleName());
        vertex
            .getLayer()
            .paramTable()
            .forEach((name, values) -> layout.append(name).append(values.shapeInfoToString()));
      }
    }
    return layout.toString();
  }

  /** Refuses a checkpoint of another training. */
  static void requireEqual(Map<String, String> found, Map<String, String> wanted, Path file) {
    wanted.forEach(
        (name, value) -> {
          if (!value.equals(found.get(name))) {
            throw new IllegalStateException(
                file
                    + " is a checkpoint of another training: it has "
                    + name
                    + " = "
                    + found.get(name)
                    + ", expected "
                    + value
                    + ". Choose another folder, or delete it to begin anew.");
          }
        });
  }
}
