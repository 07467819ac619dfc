/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import java.util.List;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.transferlearning.TransferLearning;

/** What is left of a backbone, and what has grown on it so far. */
final class Stem {

  private final TransferLearning.GraphBuilder graph;
  private final Backbone backbone;
  private final List<String> kept;
  private final Cut cut;
  private String tip;
  private int channels;

  Stem(TransferLearning.GraphBuilder graph, Backbone backbone, Cut cut, String foot) {
    this.graph = graph;
    this.backbone = backbone;
    this.kept = backbone.upTo(foot);
    this.cut = cut;
    this.tip = foot;
    this.channels = cut.channels();
  }

  /** The number of feature maps at the tip. */
  int channels() {
    return channels;
  }

  /** Says that the layer added last has this many feature maps. */
  void channels(int number) {
    this.channels = number;
  }

  /** Where the channels of the feature maps are. */
  CNN2DFormat format() {
    return cut.format();
  }

  /** What is being cut. */
  Backbone backbone() {
    return backbone;
  }

  /** The place where the backbone was cut. */
  Cut cut() {
    return cut;
  }

  /** Puts a layer on, with its sizes set. */
  void add(String name, Layer layer) {
    add(name, layer, null);
  }

  /** Puts a layer on, with its sizes set, and a preprocessor before it. */
  void add(String name, Layer layer, InputPreProcessor preProcessor) {
    requireFree(name);
    graph.addLayer(name, layer, preProcessor, tip);
    tip = name;
  }

  /** Puts a vertex without parameters on, at the tip unless other inputs are given. */
  void add(String name, GraphVertex vertex, String... inputs) {
    requireFree(name);
    graph.addVertex(name, vertex, inputs.length == 0 ? new String[] {tip} : inputs);
    tip = name;
  }

  /** The vertex that the next layer goes on. */
  String tip() {
    return tip;
  }

  /** Goes on growing from another vertex. */
  void growFrom(String vertex) {
    this.tip = vertex;
  }

  private void requireFree(String name) {
    if (kept.contains(name)) {
      throw new IllegalArgumentException(
          "expected to name a layer of the head '"
              + name
              + "', got a backbone that has one of that name up to the cut: cut before it");
    }
  }
}
