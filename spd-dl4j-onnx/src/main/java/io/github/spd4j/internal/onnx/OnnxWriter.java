/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import io.github.spd4j.internal.dl4j.WrappedLayers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.nn.conf.graph.FrozenVertex;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.graph.PreprocessorVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Translates networks into ONNX: what {@code outputSingle} computes, for batches of any size, in
 * single precision, by standard operators alone.
 */
public final class OnnxWriter {

  private final ComputationGraph net;
  private final OnnxGraph graph;
  private final Map<String, String> values = new HashMap<>();
  private final Map<String, InputType> types = new HashMap<>();

  private OnnxWriter(ComputationGraph net, OnnxGraph graph) {
    this.net = net;
    this.graph = graph;
  }

  /**
   * A network as an ONNX file, whose input and outputs have the names that they have in the
   * network.
   *
   * @param net an initialised network with one input
   * @param input what it takes: the format and the size of its images
   * @return the file
   * @throws UnsupportedOperationException if ONNX cannot compute a layer; the message names it
   */
  public static byte[] write(ComputationGraph net, InputType input) {
    return write(net, input, net.getConfiguration().getNetworkOutputs());
  }

  /**
   * Part of a network as an ONNX file.
   *
   * @param net an initialised network with one input
   * @param input what it takes: the format and the size of its images
   * @param outputs the vertices whose output is asked for; what they do not need is left out
   * @return the file
   * @throws UnsupportedOperationException if ONNX cannot compute a layer; the message names it
   */
  public static byte[] write(ComputationGraph net, InputType input, List<String> outputs) {
    OnnxGraph graph = graphFor(net);
    String images = graph.input(inputOf(net), Tensor.FLOAT, LayerSite.shape(input));
    OnnxWriter writer = translate(net, graph, images, input, outputs);
    for (String output : outputs) {
      graph.output(output, writer.value(output), writer.shape(output));
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      graph.model().writeTo(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // not in memory
    }
    return bytes.toByteArray();
  }

  /** An empty graph with operators of the version that the network's own ONNX file has, if any. */
  static OnnxGraph graphFor(ComputationGraph net) {
    long version = OnnxGraph.OPERATORS;
    for (org.deeplearning4j.nn.api.Layer layer : net.getLayers()) {
      Layer conf = WrappedLayers.unwrapped(layer.conf().getLayer());
      if (conf instanceof OnnxPart part) {
        version = graph(part).version(); // a network has one input, and so one such layer
        if (version < OnnxGraph.OLDEST || version > OnnxGraph.NEWEST) {
          throw new NotExportable(
              String.format(
                  "OnnxLayer '%s' cannot be written as ONNX: expected a file with operators of the"
                      + " versions %d to %d, to join it with the rest of the network, got %d;"
                      + " export it with opset_version=%d",
                  conf.getLayerName(),
                  OnnxGraph.OLDEST,
                  OnnxGraph.NEWEST,
                  version,
                  OnnxGraph.OPERATORS));
        }
      }
    }
    return new OnnxGraph(version);
  }

  /** The graph that a layer is. */
  static CheckedGraph graph(OnnxPart layer) {
    try {
      return CheckedGraph.read(layer.file());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it was checked before
    }
  }

  private static String inputOf(ComputationGraph net) {
    List<String> inputs = net.getConfiguration().getNetworkInputs();
    if (inputs.size() != 1) {
      throw new NotExportable("expected a network with one input, got " + inputs);
    }
    return inputs.get(0);
  }

  /**
   * Adds a network to a graph.
   *
   * @param images the value that it takes
   * @param input what that is
   * @param vertices which vertices are needed
   * @return what tells their values
   */
  static OnnxWriter translate(
      ComputationGraph net,
      OnnxGraph graph,
      String images,
      InputType input,
      List<String> vertices) {
    Objects.requireNonNull(input, "input");
    OnnxWriter writer = new OnnxWriter(net, graph);
    String name = inputOf(net);
    writer.values.put(name, images);
    writer.types.put(name, input);
    vertices.forEach(writer::translate);
    graph.enter("");
    return writer;
  }

  /** What a vertex puts out. */
  String value(String vertex) {
    return values.get(vertex);
  }

  /** The shape of that, without the size of the batch. */
  long[] shape(String vertex) {
    return LayerSite.shape(types.get(vertex));
  }

  /** Adds a vertex, unless it is there, after all that it needs. */
  private void translate(String vertex) {
    if (values.containsKey(vertex)) {
      return;
    }
    GraphVertex conf = net.getConfiguration().getVertices().get(vertex);
    List<String> inputs = net.getConfiguration().getVertexInputs().get(vertex);
    if (conf == null || inputs == null) {
      throw new IllegalArgumentException(
          "expected one of the vertices "
              + net.getConfiguration().getVertices().keySet()
              + ", got "
              + vertex);
    }
    inputs.forEach(this::translate);
    graph.enter(vertex);
    try {
      translate(vertex, thawed(conf), inputs);
    } catch (NotExportable e) {
      throw new NotExportable(
          kind(thawed(conf)) + " '" + vertex + "' cannot be written as ONNX: " + e.getMessage());
    }
  }

  private static String kind(GraphVertex vertex) {
    Object computes =
        vertex instanceof LayerVertex layer
            ? WrappedLayers.unwrapped(layer.getLayerConf().getLayer())
            : vertex;
    return Tables.known(computes.getClass()).getSimpleName();
  }

  private static GraphVertex thawed(GraphVertex vertex) {
    return vertex instanceof FrozenVertex frozen ? thawed(frozen.getUnderlying()) : vertex;
  }

  private void translate(String name, GraphVertex vertex, List<String> inputs) {
    InputType type = types.get(inputs.get(0));
    String input = values.get(inputs.get(0));
    if (vertex instanceof LayerVertex layer) {
      if (layer.getPreProcessor() != null) {
        InputType before = type;
        type = layer.getPreProcessor().getOutputType(before);
        input = PreProcessors.translate(graph, layer.getPreProcessor(), input, before, type);
      }
      Layer conf = WrappedLayers.unwrapped(layer.getLayerConf().getLayer());
      InputType output = conf.getOutputType(-1, type);
      Map<String, INDArray> params = WrappedLayers.unwrapped(net.getLayer(name)).paramTable();
      LayerSite site = new LayerSite(graph, input, type, output, params);
      types.put(name, output);
      values.put(name, Layers.translate(site, conf));
      return;
    }
    InputType[] all = inputs.stream().map(types::get).toArray(InputType[]::new);
    types.put(name, vertex.getOutputType(-1, all));
    values.put(
        name,
        vertex instanceof PreprocessorVertex preprocessor
            ? PreProcessors.translate(
                graph, preprocessor.getPreProcessor(), input, type, types.get(name))
            : Vertices.translate(graph, vertex, inputs.stream().map(values::get).toList(), type));
  }
}
