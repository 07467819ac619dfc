/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import io.github.spd4j.internal.dl4j.WrappedLayers;
import io.github.spd4j.layers.SpdLayer;
import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;

/** An SPD layer of a network: where it is, its configuration, and what executes it. */
final class LayerProbe {

  final String name;

  /** What DL4J knows it by: its name in a ComputationGraph, its position in a MultiLayerNetwork. */
  final String key;

  final Layer layer;

  private LayerProbe(String name, String key, Layer layer) {
    this.name = name;
    this.key = key;
    this.layer = WrappedLayers.unwrapped(layer);
  }

  /** The SPD layers of a network, frozen ones too; none if the model is no network. */
  static List<LayerProbe> of(Model model) {
    List<LayerProbe> layers = new ArrayList<>();
    if (model instanceof ComputationGraph) {
      for (GraphVertex vertex : ((ComputationGraph) model).getVertices()) {
        if (vertex.hasLayer()) {
          String name = vertex.getVertexName();
          layers.add(new LayerProbe(name, name, vertex.getLayer()));
        }
      }
    } else if (model instanceof MultiLayerNetwork) {
      for (Layer layer : ((MultiLayerNetwork) model).getLayers()) {
        String position = String.valueOf(layers.size());
        String name = layer.conf().getLayer().getLayerName();
        layers.add(new LayerProbe(name == null ? position : name, position, layer));
      }
    }
    layers.removeIf(probe -> !(probe.layer.conf().getLayer() instanceof SpdLayer));
    return layers;
  }

  /** What DL4J calls the gradient of a parameter. */
  String gradientName(String parameter) {
    return key + "_" + parameter;
  }

  SpdLayer configuration() {
    return (SpdLayer) layer.conf().getLayer();
  }
}
