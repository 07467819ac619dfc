/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import static java.util.Map.entry;

import java.util.Map;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationCube;
import org.nd4j.linalg.activations.impl.ActivationELU;
import org.nd4j.linalg.activations.impl.ActivationGELU;
import org.nd4j.linalg.activations.impl.ActivationHardSigmoid;
import org.nd4j.linalg.activations.impl.ActivationHardTanH;
import org.nd4j.linalg.activations.impl.ActivationIdentity;
import org.nd4j.linalg.activations.impl.ActivationLReLU;
import org.nd4j.linalg.activations.impl.ActivationMish;
import org.nd4j.linalg.activations.impl.ActivationReLU;
import org.nd4j.linalg.activations.impl.ActivationReLU6;
import org.nd4j.linalg.activations.impl.ActivationRectifiedTanh;
import org.nd4j.linalg.activations.impl.ActivationSELU;
import org.nd4j.linalg.activations.impl.ActivationSigmoid;
import org.nd4j.linalg.activations.impl.ActivationSoftPlus;
import org.nd4j.linalg.activations.impl.ActivationSoftSign;
import org.nd4j.linalg.activations.impl.ActivationSoftmax;
import org.nd4j.linalg.activations.impl.ActivationSwish;
import org.nd4j.linalg.activations.impl.ActivationTanH;
import org.nd4j.linalg.activations.impl.ActivationThresholdedReLU;

/** The activation functions of DL4J. */
final class Activations {

  private interface Translation {
    String of(OnnxGraph graph, IActivation activation, String x);
  }

  private static final Map<Class<?>, Translation> TABLE =
      Map.ofEntries(
          entry(ActivationIdentity.class, (graph, any, x) -> x),
          entry(ActivationReLU.class, Activations::relu),
          entry(ActivationReLU6.class, (graph, any, x) -> clipped(graph, x, 0, 6)),
          entry(ActivationHardTanH.class, (graph, any, x) -> clipped(graph, x, -1, 1)),
          entry(ActivationSigmoid.class, (graph, any, x) -> graph.node("Sigmoid", x)),
          entry(ActivationTanH.class, (graph, any, x) -> graph.node("Tanh", x)),
          entry(ActivationSoftPlus.class, (graph, any, x) -> graph.node("Softplus", x)),
          entry(ActivationSoftSign.class, (graph, any, x) -> graph.node("Softsign", x)),
          entry(ActivationSELU.class, (graph, any, x) -> graph.node("Selu", x)),
          entry(ActivationSoftmax.class, (graph, any, x) -> graph.node("Softmax", x)),
          entry(ActivationCube.class, (graph, any, x) -> graph.node("Pow", x, graph.constant(3))),
          entry(
              ActivationRectifiedTanh.class,
              (graph, any, x) -> graph.node("Relu", graph.node("Tanh", x))),
          entry(
              ActivationSwish.class,
              (graph, any, x) -> graph.multiply(x, graph.node("Sigmoid", x))),
          entry(
              ActivationMish.class,
              (graph, any, x) -> graph.multiply(x, graph.node("Tanh", graph.node("Softplus", x)))),
          entry(
              ActivationHardSigmoid.class,
              (graph, any, x) -> graph.node("HardSigmoid", Map.of("alpha", 0.2f, "beta", 0.5f), x)),
          entry(
              ActivationELU.class,
              (graph, elu, x) -> slope(graph, "Elu", ((ActivationELU) elu).getAlpha(), x)),
          entry(
              ActivationLReLU.class,
              (graph, relu, x) ->
                  slope(graph, "LeakyRelu", ((ActivationLReLU) relu).getAlpha(), x)),
          entry(
              ActivationThresholdedReLU.class,
              (graph, relu, x) ->
                  slope(
                      graph, "ThresholdedRelu", ((ActivationThresholdedReLU) relu).getTheta(), x)),
          entry(ActivationGELU.class, Activations::gelu));

  private Activations() {}

  /** Applies an activation function to what a layer puts out. */
  static String apply(OnnxGraph graph, IActivation activation, String x, InputType type) {
    Class<?> kind = Tables.known(activation.getClass());
    Translation translation = TABLE.get(kind);
    boolean isSoftmaxOfMaps =
        activation instanceof ActivationSoftmax
            && !(type instanceof InputType.InputTypeFeedForward);
    if (translation == null || isSoftmaxOfMaps) {
      throw new NotExportable(
          "the activation function " + activation + (isSoftmaxOfMaps ? " of " + type : ""));
    }
    return translation.of(graph, activation, x);
  }

  private static String slope(OnnxGraph graph, String operator, double alpha, String x) {
    return graph.node(operator, Map.of("alpha", (float) alpha), x);
  }

  private static String clipped(OnnxGraph graph, String x, double least, double most) {
    return graph.node("Clip", x, graph.constant(least), graph.constant(most));
  }

  private static String relu(OnnxGraph graph, IActivation activation, String x) {
    ActivationReLU relu = (ActivationReLU) activation;
    if (isSet(relu.getThreshold()) || isSet(relu.getNegativeSlope())) {
      throw new NotExportable("the activation function " + activation);
    }
    return isSet(relu.getMax()) ? clipped(graph, x, 0, relu.getMax()) : graph.node("Relu", x);
  }

  private static boolean isSet(Double option) {
    return option != null && option != 0;
  }

  /** DL4J's is x σ(1.702 x), unless it is to be precise. */
  private static String gelu(OnnxGraph graph, IActivation activation, String x) {
    if (((ActivationGELU) activation).isPrecise()) {
      throw new NotExportable("the activation function " + activation + ", precise");
    }
    return graph.multiply(x, graph.node("Sigmoid", graph.multiply(x, 1.702)));
  }
}
