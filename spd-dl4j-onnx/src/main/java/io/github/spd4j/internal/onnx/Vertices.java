/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import static java.util.Map.entry;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.L2NormalizeVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.ScaleVertex;
import org.deeplearning4j.nn.conf.graph.ShiftVertex;
import org.deeplearning4j.nn.conf.graph.SubsetVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeRecurrent;

/** The vertices of DL4J that are no layers. */
final class Vertices {

  private interface Translation {
    String of(OnnxGraph graph, GraphVertex vertex, List<String> inputs, InputType type);
  }

  private static final Map<Class<?>, Translation> TABLE =
      Map.ofEntries(
          entry(MergeVertex.class, Vertices::merge),
          entry(ElementWiseVertex.class, Vertices::elementWise),
          entry(
              ScaleVertex.class,
              (graph, vertex, inputs, type) ->
                  graph.multiply(inputs.get(0), ((ScaleVertex) vertex).getScaleFactor())),
          entry(
              ShiftVertex.class,
              (graph, vertex, inputs, type) ->
                  graph.add(
                      inputs.get(0), graph.constant(((ShiftVertex) vertex).getShiftFactor()))),
          entry(L2NormalizeVertex.class, Vertices::unitLength),
          entry(SubsetVertex.class, Vertices::subset));

  private Vertices() {}

  /**
   * Adds a vertex.
   *
   * @param type what the first input is
   * @throws NotExportable if it has no translation
   */
  static String translate(
      OnnxGraph graph, GraphVertex vertex, List<String> inputs, InputType type) {
    Translation translation = TABLE.get(vertex.getClass());
    if (translation == null) {
      throw new NotExportable("vertices of this kind have no translation yet");
    }
    return translation.of(graph, vertex, inputs, type);
  }

  private static String merge(
      OnnxGraph graph, GraphVertex vertex, List<String> inputs, InputType type) {
    if (type instanceof InputTypeRecurrent) {
      throw new NotExportable("a merge of sequences");
    }
    boolean channelsLast =
        type instanceof InputTypeConvolutional maps && maps.getFormat() == CNN2DFormat.NHWC;
    Map<String, ?> options = Map.of("axis", channelsLast ? 3L : 1L);
    return inputs.size() == 1
        ? inputs.get(0)
        : graph.node("Concat", options, inputs.toArray(String[]::new));
  }

  private static String elementWise(
      OnnxGraph graph, GraphVertex vertex, List<String> inputs, InputType type) {
    ElementWiseVertex.Op op = ((ElementWiseVertex) vertex).getOp();
    if (op == ElementWiseVertex.Op.Average) {
      return graph.multiply(reduced(graph, "Add", inputs), 1.0 / inputs.size());
    }
    String operator =
        switch (op) {
          case Add -> "Add";
          case Subtract -> "Sub";
          case Product -> "Mul";
          case Max -> "Max";
          default -> throw new NotExportable("the operation " + op);
        };
    return reduced(graph, operator, inputs);
  }

  private static String reduced(OnnxGraph graph, String operator, List<String> inputs) {
    return inputs.stream().reduce((a, b) -> graph.node(operator, a, b)).orElseThrow();
  }

  /** Over all dimensions but that of the batch, unless it says others. */
  private static String unitLength(
      OnnxGraph graph, GraphVertex vertex, List<String> inputs, InputType type) {
    L2NormalizeVertex conf = (L2NormalizeVertex) vertex;
    int[] chosen = conf.getDimension();
    long[] axes =
        chosen == null || chosen.length == 0
            ? LongStream.rangeClosed(1, LayerSite.shape(type).length).toArray()
            : Arrays.stream(chosen).asLongStream().toArray();
    String norm = graph.reduce("ReduceL2", inputs.get(0), true, axes);
    String divisor = graph.node("Max", norm, graph.constant(conf.getEps()));
    return graph.node("Div", inputs.get(0), divisor);
  }

  private static String subset(
      OnnxGraph graph, GraphVertex vertex, List<String> inputs, InputType type) {
    SubsetVertex subset = (SubsetVertex) vertex;
    return graph.node(
        "Slice",
        inputs.get(0),
        graph.integers(subset.getFrom()),
        graph.integers(subset.getTo() + 1L),
        graph.integers(1));
  }
}
