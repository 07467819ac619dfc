/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.layers.CompactBilinearLayer;
import io.github.spd4j.layers.ExpEigLayer;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.LogCholeskyLayer;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.MatrixPowerLayer;
import io.github.spd4j.layers.MatrixSquareRootLayer;
import io.github.spd4j.layers.ReEigLayer;
import io.github.spd4j.layers.ShrinkageLayer;
import io.github.spd4j.layers.SparseInverseLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.layers.VectorLayer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * A case of {@code reference/second-order.json}: layers, their input, and what an independent
 * script found to be their output and gradients. The {@code README.md} beside that file tells what
 * is in it.
 */
public final class SecondOrderCase {

  private static final String RESOURCE = "/reference/second-order.json";

  private final JsonNode json;

  private SecondOrderCase(JsonNode json) {
    this.json = json;
  }

  /** All cases of layers, in the order of the file. */
  public static List<SecondOrderCase> all() {
    List<SecondOrderCase> cases = stored();
    cases.removeIf(SecondOrderCase::isOfARate);
    return cases;
  }

  /** The case of DropCov's rate, which has no layers. */
  public static SecondOrderCase dropCov() {
    return stored().stream().filter(SecondOrderCase::isOfARate).findAny().orElseThrow();
  }

  private boolean isOfARate() {
    return firstLayer().get("type").asText().equals("dropcov");
  }

  private JsonNode firstLayer() {
    return json.get("layers").get(0);
  }

  /** An option of the first layer, or what was found for it. */
  public double option(String name) {
    return firstLayer().get(name).doubleValue();
  }

  private static List<SecondOrderCase> stored() {
    List<SecondOrderCase> cases = new ArrayList<>();
    try (InputStream file = SecondOrderCase.class.getResourceAsStream(RESOURCE)) {
      JsonNode tree = new ObjectMapper().readTree(file);
      tree.get("cases").forEach(json -> cases.add(new SecondOrderCase(json)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return cases;
  }

  /** The layers, in new configurations. */
  public List<Layer> layers() {
    List<Layer> layers = new ArrayList<>();
    json.get("layers").forEach(options -> layers.add(layer(options)));
    return layers;
  }

  private static Layer layer(JsonNode options) {
    String type = options.get("type").asText();
    switch (type) {
      case "covariance":
        return new KernelAggregationLayer.Builder()
            .kernel(new CovarianceKernel())
            .ridge(options.get("ridge").doubleValue())
            .build();
      case "transform":
        return new SpdTransformLayer.Builder().nOut(options.get("nOut").asInt()).build();
      case "root":
        int iterations = options.get("iterations").asInt();
        return new MatrixSquareRootLayer.Builder().iterations(iterations).build();
      case "reeig":
        return new ReEigLayer.Builder().floor(options.get("floor").doubleValue()).build();
      case "logeig":
        return new LogEigLayer.Builder().floor(options.get("floor").doubleValue()).build();
      case "power":
        return new MatrixPowerLayer.Builder()
            .exponent(options.get("exponent").doubleValue())
            .floor(options.get("floor").doubleValue())
            .build();
      case "logcholesky":
        return new LogCholeskyLayer.Builder().build();
      case "expeig":
        return new ExpEigLayer.Builder().build();
      case "shrinkage":
        return new ShrinkageLayer.Builder()
            .shrinkage(options.get("alpha").doubleValue())
            .traceNormalization(options.get("normalised").booleanValue())
            .build();
      case "ledoitwolf":
        return new KernelAggregationLayer.Builder().kernel(new LedoitWolfKernel()).build();
      case "sparseinverse":
        return new SparseInverseLayer.Builder()
            .steps(options.get("steps").asInt())
            .sparsity(options.get("sparsity").doubleValue())
            .rate(options.get("rate").doubleValue())
            .iterations(options.get("iterations").asInt())
            .build();
      case "vector":
        return normalised(new SpdVectorizationLayer.Builder(), options).build();
      case "compact":
        return normalised(new CompactBilinearLayer.Builder(), options)
            .sketchSize(options.get("d").asInt())
            .seed(options.get("seed").asLong())
            .build();
      default:
        throw new IllegalArgumentException("unknown layer " + type);
    }
  }

  private static <B extends VectorLayer.Builder<B>> B normalised(B builder, JsonNode options) {
    return builder
        .powerNormalization(options.get("power").booleanValue())
        .powerFloor(options.get("phi").doubleValue())
        .l2Normalization(options.get("l2").booleanValue())
        .scale(options.get("scale").doubleValue());
  }

  /** Where a transform is among the layers. */
  public int positionOfTransform(int index) {
    int position = -1;
    for (int found = -1; found < index; ) {
      position++;
      boolean here = json.get("layers").get(position).get("type").asText().equals("transform");
      found += here ? 1 : 0;
    }
    return position;
  }

  /** Feature maps [N, C, H, W] or matrices [N, 1, C, C]. */
  public INDArray input() {
    return array(json.get("input"));
  }

  /** The parameters W [C, C'], one for each transform. */
  public List<INDArray> weights() {
    return arrays("W");
  }

  /** The gradient of the loss with respect to the output. */
  public INDArray outputGradient() {
    return array(json.get("R"));
  }

  /** The output of the last layer. */
  public INDArray output() {
    return array(json.get("output"));
  }

  /** The gradient of the loss with respect to the input; symmetric if that is a matrix. */
  public INDArray inputGradient() {
    return array(json.get("gradInput"));
  }

  /** The gradients of the loss with respect to each W. */
  public List<INDArray> weightGradients() {
    return arrays("gradW");
  }

  private List<INDArray> arrays(String key) {
    List<INDArray> result = new ArrayList<>();
    json.get(key).forEach(node -> result.add(array(node)));
    return result;
  }

  /** An array of any rank. */
  static INDArray array(JsonNode node) {
    List<Long> shape = new ArrayList<>();
    for (JsonNode inner = node; inner.isArray(); inner = inner.get(0)) {
      shape.add((long) inner.size());
    }
    List<Double> numbers = new ArrayList<>();
    flatten(node, numbers);
    double[] flat = numbers.stream().mapToDouble(Double::doubleValue).toArray();
    return Nd4j.createFromArray(flat).reshape(shape.stream().mapToLong(Long::longValue).toArray());
  }

  private static void flatten(JsonNode node, List<Double> into) {
    if (node.isArray()) {
      node.forEach(inner -> flatten(inner, into));
    } else {
      into.add(node.doubleValue());
    }
  }

  /** The name of the case. */
  @Override
  public String toString() {
    return json.get("name").asText();
  }
}
