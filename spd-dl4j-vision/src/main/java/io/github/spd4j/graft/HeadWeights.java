/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.files.SafetensorsFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.params.DefaultParamInitializer;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The parameters of a head, as a {@code .safetensors} file that other frameworks read.
 *
 * <pre>{@code
 * HeadWeights.of(net).write(Path.of("head.safetensors"));
 * }</pre>
 *
 * <p>The arrays have DL4J's names and shapes, such as {@code spd-conv_W} [C, maps, 1, 1], {@code
 * spd-conv_b} [C], {@code spd-transform-0_W} [C, C'], {@code spd-out_W} [vector, classes] and
 * {@code spd-out_b} [classes], in single precision. The rows of the classifier are the entries of
 * the upper triangle, row by row.
 *
 * <p>When not to use it: to go on in Deeplearning4j. A model file has the configuration, too.
 */
public final class HeadWeights {

  private static final String WRITER = "spd-dl4j-vision";

  /** What all files begin with. */
  public static final String BEGINNING = SafetensorsFile.beginning(WRITER);

  private final Map<String, INDArray> arrays;

  private HeadWeights(Map<String, INDArray> arrays) {
    this.arrays = arrays;
  }

  /**
   * The parameters of all layers behind the cut.
   *
   * @param net a network that {@link SpdGraft} made
   * @return its head's parameters, which follow the network's
   * @throws IllegalArgumentException if the network does not tell where its backbone ends
   */
  public static HeadWeights of(ComputationGraph net) {
    Objects.requireNonNull(net, "net");
    Map<String, List<String>> inputs = net.getConfiguration().getVertexInputs();
    if (!inputs.containsKey(Backbone.MAPS)) {
      throw new IllegalArgumentException(
          "expected a network of SpdGraft, whose backbone ends at '"
              + Backbone.MAPS
              + "', got one without: Backbone.of(net, cut).marked() gives it one");
    }
    Set<String> backbone = upTo(Backbone.MAPS, inputs);
    Map<String, INDArray> arrays = new LinkedHashMap<>();
    Arrays.stream(net.topologicalSortOrder())
        .mapToObj(i -> net.getVertices()[i])
        .filter(vertex -> vertex.hasLayer() && !backbone.contains(vertex.getVertexName()))
        .forEach(vertex -> add(arrays, vertex.getVertexName(), vertex.getLayer()));
    return new HeadWeights(arrays);
  }

  private static Set<String> upTo(String cut, Map<String, List<String>> inputs) {
    Set<String> found = new HashSet<>(Set.of(cut));
    Deque<String> open = new ArrayDeque<>(found);
    while (!open.isEmpty()) {
      inputs.getOrDefault(open.pop(), List.of()).stream().filter(found::add).forEach(open::push);
    }
    return found;
  }

  private static void add(Map<String, INDArray> arrays, String vertex, Layer layer) {
    layer
        .paramTable()
        .forEach(
            (key, value) ->
                arrays.put(
                    vertex + "_" + key, isBias(key) ? value.reshape(value.length()) : value));
  }

  /** DL4J 1.0.0-M1.1 has biases as rows. */
  private static boolean isBias(String key) {
    return key.equals(DefaultParamInitializer.BIAS_KEY);
  }

  /**
   * The names and shapes of the arrays.
   *
   * @return the shapes by name, from the cut to the classifier
   */
  public Map<String, List<Long>> shapes() {
    Map<String, List<Long>> shapes = new LinkedHashMap<>();
    arrays.forEach(
        (name, array) -> shapes.put(name, Arrays.stream(array.shape()).boxed().toList()));
    return shapes;
  }

  /**
   * Writes the file, in place of what was there.
   *
   * @param file the file, in a folder that exists
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public void write(Path file) {
    Objects.requireNonNull(file, "file");
    AtomicFile.write(file, out -> SafetensorsFile.write(out, WRITER, arrays));
  }
}
