/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.onnx;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.internal.onnx.CheckedGraph;
import io.github.spd4j.internal.onnx.OnnxFile;
import io.github.spd4j.internal.onnx.OnnxSession;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A network from an ONNX file as a frozen backbone, such as one that PyTorch exported. ONNX Runtime
 * computes it; it must be on the class path.
 *
 * <pre>{@code
 * Backbone backbone = OnnxBackbone.load(Path.of("convnext_tiny.in12k_ft_in1k.onnx"));
 * ComputationGraph net = SpdGraft.onto(backbone).head(Head.spdRoot(64)).classes(47).build();
 * }</pre>
 *
 * <p>The graph takes images [N, 3, H, W] and is cut at one of its values: feature maps [N, C, h, w]
 * or [N, h, w, C], or tokens [N, T, C], which become maps. Tokens that stand for no place, such as
 * a class token, are left out: as many at the beginning as make the rest a square.
 *
 * <p>A file need not be trusted: it has standard operators that neither loop nor run code, or is
 * refused before ONNX Runtime sees it.
 */
public final class OnnxBackbone {

  /** Height and width of the images where the file leaves them open. */
  private static final int SIZE = 224;

  /** How many outputs a message names. */
  private static final int NAMED = 6;

  private static final int MOST_LEFT_OUT = 8;

  private OnnxBackbone() {}

  /**
   * Loads a file, cut at its output.
   *
   * @param file the file, named as timm names the network, for its pixels to be known
   * @return a backbone without pixels if the name does not tell
   * @throws IOException if it is damaged, not safe, takes no images, or puts out no feature maps
   */
  public static Backbone load(Path file) throws IOException {
    return load(file, null);
  }

  /**
   * Loads a file.
   *
   * @param file the file, named as timm names the network, for its pixels to be known
   * @param cut the value of the graph that is feature maps or tokens; null for its output
   * @return a backbone without pixels if the name does not tell
   * @throws IOException if it is damaged, not safe, takes no images, or has no such value
   */
  public static Backbone load(Path file, String cut) throws IOException {
    Objects.requireNonNull(file, "file");
    CheckedGraph graph = CheckedGraph.read(file);
    String name = String.valueOf(file.getFileName()).replaceFirst("\\.onnx$", "");
    try {
      return load(graph, name, cut);
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  private static Backbone load(CheckedGraph graph, String name, String cut) throws IOException {
    int[] fixed = graph.size();
    Optional<TimmPixels> known = TimmPixels.of(name);
    int usual = known.map(TimmPixels::size).orElse(SIZE);
    int height = fixed[0] > 0 ? fixed[0] : fixed[1] > 0 ? fixed[1] : usual;
    int width = fixed[1] > 0 ? fixed[1] : height;
    if (height != width) {
      throw new IOException("expected square images, got " + height + " by " + width);
    }
    INDArray image = Nd4j.zeros(DataType.FLOAT, 1, 3, height, width);
    String end = cut == null && graph.outputs().size() == 1 ? graph.outputs().get(0) : cut;
    if (end == null || !graph.values().contains(end)) {
      throw new IOException(expected(graph, image, end == null ? "none" : end, end));
    }
    OnnxFile onnx = OnnxFile.of(graph.upTo(List.of(end)));
    long[] shape = onnx.run(image).shape();
    OnnxLayer layer = layer(onnx, shape);
    if (layer == null) {
      throw new IOException(expected(graph, image, end + " " + text(shape), cut));
    }
    String vertex =
        "onnx"
            + (end.startsWith("/") ? "" : "/")
            + end.replace('_', '-').replaceAll("\\p{Cntrl}", "?");
    return new Backbone(
        name,
        net(layer, vertex, height),
        vertex,
        known.map(TimmPixels::pixels).orElse(null),
        height);
  }

  /** Null if an output of this shape for one square image is no feature maps. */
  private static OnnxLayer layer(OnnxFile file, long... shape) {
    if (shape.length == 4 && shape[1] == shape[2] && shape[2] != shape[3]) {
      return new OnnxLayer(file, OnnxLayer.Layout.CHANNELS_LAST, 0, shape[3]);
    }
    if (shape.length == 4) {
      return new OnnxLayer(file, OnnxLayer.Layout.MAPS, 0, shape[1]);
    }
    int leftOut = shape.length == 3 ? leftOut(shape[1]) : -1;
    return leftOut < 0 ? null : new OnnxLayer(file, OnnxLayer.Layout.TOKENS, leftOut, shape[2]);
  }

  /** The fewest tokens without which the rest is a square, or -1. */
  private static int leftOut(long tokens) {
    for (int out = 0; out <= MOST_LEFT_OUT && out < tokens; out++) {
      long side = Math.round(Math.sqrt(tokens - out));
      if (side * side == tokens - out) {
        return out;
      }
    }
    return -1;
  }

  private static ComputationGraph net(OnnxLayer layer, String vertex, int size) {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(1) // nothing here is random, but a head grafted onto it has the same seed
                .dataType(DataType.FLOAT)
                .graphBuilder()
                .addInputs("image")
                .addLayer(vertex, layer, "image")
                .setInputTypes(InputType.convolutional(size, size, 3))
                .setOutputs(vertex)
                .build());
    net.init();
    return net;
  }

  /** Says which values could have been meant. */
  private static String expected(CheckedGraph graph, INDArray image, String got, String cut)
      throws IOException {
    List<String> all = new ArrayList<>(graph.values());
    Map<String, long[]> shapes;
    try (OnnxSession session = new OnnxSession(graph.upTo(all))) {
      shapes = session.shapes(image);
    }
    List<String> maps =
        shapes.entrySet().stream()
            .filter(one -> areMaps(one.getValue()))
            .map(one -> CheckedGraph.quoted(one.getKey()) + " " + text(one.getValue()))
            .collect(Collectors.toList());
    List<String> like =
        maps.stream().filter(one -> cut != null && one.contains(cut)).collect(Collectors.toList());
    List<String> named = like.isEmpty() ? maps : like;
    return String.format(
        "expected a value of the graph that is feature maps or tokens (--cut), such as %s; got %s",
        String.join(", ", named.subList(Math.max(0, named.size() - NAMED), named.size())), got);
  }

  private static boolean areMaps(long... shape) {
    boolean tokens = shape.length == 3 && leftOut(shape[1]) >= 0 && shape[1] > 1;
    return tokens || shape.length == 4 && shape[1] * shape[2] * shape[3] > shape[1];
  }

  private static String text(long... shape) {
    return java.util.Arrays.toString(shape).replaceFirst("\\[1, ", "[N, ");
  }
}
