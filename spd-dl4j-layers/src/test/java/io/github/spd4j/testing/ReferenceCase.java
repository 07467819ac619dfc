/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.Rectifier;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * A case of {@code reference/spd-head.json}: a head, its input, and what an independent script
 * found to be its values and gradients. The {@code README.md} beside that file tells what is in it.
 */
public final class ReferenceCase {

  private static final String RESOURCE = "/reference/spd-head.json";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final JsonNode json;

  private ReferenceCase(JsonNode json) {
    this.json = json;
  }

  /** All cases, in the order of the file. */
  public static List<ReferenceCase> all() {
    List<ReferenceCase> cases = new ArrayList<>();
    try (InputStream file = ReferenceCase.class.getResourceAsStream(RESOURCE)) {
      MAPPER.readTree(file).get("cases").forEach(json -> cases.add(new ReferenceCase(json)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return cases;
  }

  /** The layers of the head, from the kernel to the vector, in new configurations. */
  public List<Layer> head() {
    JsonNode options = json.get("options");
    List<Layer> layers = new ArrayList<>();
    layers.add(
        new KernelAggregationLayer.Builder()
            .kernel(kernel(options.get("kernel")))
            .ridge(number(options, "ridge"))
            .build());
    options.get("transforms").forEach(transform -> layers.add(transform(transform)));
    layers.add(vectorisation(options.get("vectorisation")));
    return layers;
  }

  private static Kernel kernel(JsonNode options) {
    String type = options.get("type").asText();
    switch (type) {
      case "rbf":
        return new RbfKernel(bandwidth(options.get("bandwidth")));
      case "laplacian":
        return new LaplacianKernel(bandwidth(options.get("bandwidth")));
      case "polynomial":
        return PolynomialKernel.degree(options.get("degree").asInt())
            .offset(number(options, "offset"))
            .scale(number(options, "scale"));
      case "covariance":
        return new CovarianceKernel();
      default:
        throw new IllegalArgumentException("unknown kernel " + type);
    }
  }

  private static Bandwidth bandwidth(JsonNode options) {
    boolean fixed = options.get("type").asText().equals("fixed");
    Bandwidth bandwidth =
        fixed ? Bandwidth.fixed(number(options, "sigma")) : Bandwidth.meanDistance();
    bandwidth = bandwidth.times(number(options, "factor"));
    return flag(options, "differentiated") ? bandwidth.differentiated() : bandwidth;
  }

  private static Layer transform(JsonNode options) {
    String rectifier = options.get("rectifier").asText().toUpperCase(Locale.ROOT);
    return new SpdTransformLayer.Builder()
        .nOut(options.get("nOut").asInt())
        .rectifier(Rectifier.valueOf(rectifier))
        .build();
  }

  private static Layer vectorisation(JsonNode options) {
    return new SpdVectorizationLayer.Builder()
        .powerNormalization(flag(options, "power"))
        .powerFloor(number(options, "phi"))
        .l2Normalization(flag(options, "l2"))
        .scale(number(options, "scale"))
        .build();
  }

  private static double number(JsonNode options, String name) {
    return options.get(name).doubleValue();
  }

  private static boolean flag(JsonNode options, String name) {
    return options.get(name).booleanValue();
  }

  /** The feature maps F [N, C, H, W]. */
  public INDArray input() {
    return maps("input");
  }

  /** The parameters W [C, C'], one for each transform. */
  public List<INDArray> weights() {
    return matrices("W");
  }

  /** The gradient R of the loss with respect to the vector [N, C'(C'+1)/2]. */
  public INDArray outputGradient() {
    return matrix(json.get("R"));
  }

  /** The kernel matrices K [N, 1, C, C]. */
  public INDArray kernelMatrices() {
    return stack(json.get("K"));
  }

  /** The transformed matrices Y [N, 1, C', C'], one array for each transform. */
  public List<INDArray> transformed() {
    List<INDArray> result = new ArrayList<>();
    json.get("Y").forEach(y -> result.add(stack(y)));
    return result;
  }

  /** The output of the head [N, C'(C'+1)/2]. */
  public INDArray vectors() {
    return matrix(json.get("vector"));
  }

  /** The gradient of the loss with respect to F [N, C, H, W]. */
  public INDArray inputGradient() {
    return maps("gradInput");
  }

  /** The gradients of the loss with respect to each W. */
  public List<INDArray> weightGradients() {
    return matrices("gradW");
  }

  private INDArray maps(String key) {
    return Nd4j.createFromArray(MAPPER.convertValue(json.get(key), double[][][][].class));
  }

  private List<INDArray> matrices(String key) {
    List<INDArray> result = new ArrayList<>();
    json.get(key).forEach(matrix -> result.add(matrix(matrix)));
    return result;
  }

  private static INDArray matrix(JsonNode node) {
    return Nd4j.createFromArray(MAPPER.convertValue(node, double[][].class));
  }

  /** A stack [N, n, n] as the layers have it, [N, 1, n, n]. */
  private static INDArray stack(JsonNode node) {
    INDArray stack = Nd4j.createFromArray(MAPPER.convertValue(node, double[][][].class));
    return stack.reshape(stack.size(0), 1, stack.size(1), stack.size(2));
  }

  /** The name of the case. */
  @Override
  public String toString() {
    return json.get("name").asText();
  }
}
