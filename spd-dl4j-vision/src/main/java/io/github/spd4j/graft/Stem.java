/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import java.util.Set;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.transferlearning.TransferLearning;

/**
 * Puts one layer after another on a backbone that was cut. The size of each follows from what comes
 * before, by DL4J's own rules for input types.
 */
final class Stem {

  private final TransferLearning.GraphBuilder graph;
  private final Set<String> kept;
  private final Cut cut;
  private String tip;
  private InputType type;

  /**
   * A stem that grows from a cut.
   *
   * @param graph what is left of the backbone
   * @param kept the names of its vertices
   * @param cut where the backbone was cut
   */
  Stem(TransferLearning.GraphBuilder graph, Set<String> kept, Cut cut) {
    this.graph = graph;
    this.kept = kept;
    this.cut = cut;
    growFrom(cut.layer(), cut.maps());
  }

  Cut cut() {
    return cut;
  }

  /** Grows from a vertex, whose output is of this type. */
  void growFrom(String vertex, InputType output) {
    this.tip = vertex;
    this.type = output;
  }

  /** The vertex that the next layer goes on. */
  String tip() {
    return tip;
  }

  /** The output of the tip. */
  InputType type() {
    return type;
  }

  /** Puts a layer on, with a preprocessor before it if it needs one. */
  void add(String name, Layer.Builder<?> builder) {
    add(name, builder, null);
  }

  /**
   * Puts a layer on that cannot tell its output before the network is built, as a convolution
   * cannot.
   */
  void add(String name, Layer.Builder<?> builder, InputType output) {
    requireFree(name);
    builder.name(name);
    Layer layer = builder.build();
    InputPreProcessor preProcessor = layer.getPreProcessorForInputType(type);
    InputType input = preProcessor == null ? type : preProcessor.getOutputType(type);
    layer.setNIn(input, true);
    graph.addLayer(name, layer, preProcessor, tip);
    growFrom(name, output == null ? layer.getOutputType(0, input) : output);
  }

  /** Puts a vertex without parameters on. */
  void add(String name, GraphVertex vertex) {
    requireFree(name);
    graph.addVertex(name, vertex, tip);
    growFrom(name, vertex.getOutputType(0, type));
  }

  /** Adds the output of another vertex, of the same size, to that of the tip. */
  void sum(String name, String other) {
    requireFree(name);
    graph.addVertex(name, new ElementWiseVertex(ElementWiseVertex.Op.Add), other, tip);
    growFrom(name, type);
  }

  /** Joins the vector of another vertex with that of the tip. */
  void join(String name, String other, InputType otherType) {
    requireFree(name);
    graph.addVertex(name, new MergeVertex(), other, tip);
    long length = otherType.arrayElementsPerExample() + type.arrayElementsPerExample();
    growFrom(name, InputType.feedForward(length));
  }

  private void requireFree(String name) {
    Validate.isTrue(
        !kept.contains(name),
        "expected a backbone without a layer '%s', which the head needs, got one that has it up to"
            + " the cut: cut before it",
        name);
  }
}
