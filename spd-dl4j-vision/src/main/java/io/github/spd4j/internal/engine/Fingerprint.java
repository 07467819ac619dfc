/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.acceleration.Precision;
import io.github.spd4j.train.images.LabelledImages;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.shade.jackson.core.JsonProcessingException;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** SHA-256 of what features or trainings depend on. */
public final class Fingerprint {

  private static final int CHUNK = 1 << 16;
  private static final int SHORT_DIGITS = 16;

  private final MessageDigest digest;

  private Fingerprint() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * Of all that features depend on: backbone, cut, data type, precision, size and list of the
   * images.
   *
   * @param backbone the network
   * @param images the images
   * @return 32 bytes
   */
  public static byte[] ofFeatures(BackboneAndHead backbone, LabelledImages images) {
    Fingerprint print = new Fingerprint();
    print.addNetwork(backbone.net(), backbone.headVertices());
    Precision precision = Acceleration.precisionOf(backbone.net());
    if (precision != Precision.FLOAT) { // caches of earlier versions have none
      print.add(precision.toString());
    }
    Arrays.stream(ImageBatches.imageShape(images)).forEach(print::add);
    print.addNames(images);
    for (int i = 0; i < images.size(); i++) {
      print.digest.update(images.digest(i).getBytes(StandardCharsets.UTF_8));
    }
    return print.digest.digest();
  }

  /**
   * Of features that ONNX Runtime computes, which are not the same bits.
   *
   * @param features what {@link #ofFeatures} gave
   * @return 32 bytes
   */
  public static byte[] byOnnxRuntime(byte[] features) {
    Fingerprint print = new Fingerprint();
    print.digest.update(features);
    print.add("ONNX Runtime");
    return print.digest.digest();
  }

  /**
   * Tells sets of images apart, by names and labels alone.
   *
   * @param images the images
   * @return 16 hexadecimal digits
   */
  public static String ofImages(LabelledImages images) {
    Fingerprint print = new Fingerprint();
    print.addNames(images);
    for (int i = 0; i < images.size(); i++) {
      print.add(images.label(i));
      print.add(images.picture(i));
    }
    return shortened(print.digest.digest());
  }

  /**
   * Tells networks apart by all that their outputs depend on: data type, vertices, each parameter.
   * It is the same on every machine.
   *
   * @param net the network
   * @return 64 hexadecimal digits
   */
  public static String ofNetwork(ComputationGraph net) {
    Fingerprint print = new Fingerprint();
    print.addNetwork(net, Set.of());
    return hexadecimal(print.digest.digest());
  }

  /**
   * Tells networks apart, by their data type, vertices and parameters' shapes.
   *
   * @param net the network
   * @return 16 hexadecimal digits
   */
  public static String ofLayout(ComputationGraph net) {
    StringBuilder layout = new StringBuilder(net.getConfiguration().getDataType().toString());
    for (GraphVertex vertex : net.getVertices()) {
      layout.append(' ').append(vertex.getVertexName());
      if (vertex.hasLayer()) {
        layout.append(storedName(vertex.getLayer().conf().getLayer()));
        Map<String, INDArray> parameters = vertex.getLayer().paramTable();
        parameters.forEach((name, p) -> layout.append(name).append(p.shapeInfoToString()));
      }
    }
    Fingerprint print = new Fingerprint();
    print.add(layout.toString());
    return shortened(print.digest.digest());
  }

  /** The simple name of the class that a layer is stored as, accelerated or not. */
  private static String storedName(Layer layer) {
    String name = NeuralNetConfiguration.mapper().valueToTree(layer).get("@class").asText();
    return name.replaceAll(".*[.$]", "");
  }

  /**
   * A digest for names and messages.
   *
   * @param bytes 32 bytes
   * @return the first 16 hexadecimal digits
   */
  public static String shortened(byte[] bytes) {
    return hexadecimal(bytes).substring(0, SHORT_DIGITS);
  }

  private static String hexadecimal(byte[] bytes) {
    return String.format("%064x", new BigInteger(1, bytes));
  }

  private void addNetwork(ComputationGraph net, Set<String> without) {
    ComputationGraphConfiguration conf = net.getConfiguration();
    add(conf.getDataType().toString());
    for (Map.Entry<String, List<String>> vertex : conf.getVertexInputs().entrySet()) {
      if (!without.contains(vertex.getKey())) {
        add(vertex.getKey());
        vertex.getValue().forEach(this::add);
        add(json(conf.getVertices().get(vertex.getKey())));
        addParameters(net.getVertex(vertex.getKey()));
      }
    }
  }

  /** A vertex as JSON, without what only matters to learning. */
  private static String json(org.deeplearning4j.nn.conf.graph.GraphVertex vertex) {
    try {
      ObjectMapper mapper = NeuralNetConfiguration.mapper();
      if (!(vertex instanceof LayerVertex)) {
        return mapper.writeValueAsString(vertex);
      }
      LayerVertex layerVertex = (LayerVertex) vertex;
      Layer layer = layerVertex.getLayerConf().getLayer().clone();
      if (layer instanceof BaseLayer) {
        BaseLayer base = (BaseLayer) layer;
        base.setIUpdater(null);
        base.setBiasUpdater(null);
        base.setRegularization(null);
        base.setRegularizationBias(null);
      }
      return mapper.writeValueAsString(layer)
          + mapper.writeValueAsString(layerVertex.getPreProcessor());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a network that can be saved has vertices as JSON", e);
    }
  }

  private void addParameters(GraphVertex vertex) {
    Map<String, INDArray> table = vertex.paramTable(false);
    if (table != null) {
      table.forEach(
          (name, values) -> {
            add(name);
            addNumbers(values);
          });
    }
  }

  private void addNumbers(INDArray values) {
    INDArray row = values.dup('c').reshape(values.length());
    ByteBuffer bytes = ByteBuffer.allocate(8 * CHUNK);
    for (long start = 0; start < row.length(); start += CHUNK) {
      long end = Math.min(start + CHUNK, row.length());
      double[] numbers = row.get(NDArrayIndex.interval(start, end)).toDoubleVector();
      bytes.clear();
      bytes.asDoubleBuffer().put(numbers);
      digest.update(bytes.array(), 0, 8 * numbers.length);
    }
  }

  private void addNames(LabelledImages images) {
    add(images.size());
    for (int i = 0; i < images.size(); i++) {
      add(images.name(i));
    }
  }

  private void add(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    add(bytes.length); // so that "a", "bc" and "ab", "c" differ
    digest.update(bytes);
  }

  private void add(long number) {
    digest.update(ByteBuffer.allocate(8).putLong(number).array());
  }
}
