/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.ReferenceCase;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration.ListBuilder;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.NoOp;

/**
 * Holds the layers, in a real network of double precision, to values and gradients that an
 * independent script computed by definition and by complex steps.
 */
class ReferenceTest {

  /** Of values, relative to the largest entry. */
  private static final double VALUE_TOLERANCE = 1e-12;

  /** Of gradients, relative to the largest entry. */
  private static final double GRADIENT_TOLERANCE = 1e-9;

  static Stream<Arguments> casesAndFormats() {
    return ReferenceCase.all().stream()
        .flatMap(c -> Stream.of(CNN2DFormat.values()).map(format -> arguments(c, format)));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("casesAndFormats")
  void valuesAreThoseOfTheReference(ReferenceCase reference, CNN2DFormat format) {
    MultiLayerNetwork net = network(reference, format);

    List<INDArray> activations = net.feedForward(inFormat(reference.input(), format), false);

    List<INDArray> expected = new ArrayList<>(List.of(reference.kernelMatrices()));
    expected.addAll(reference.transformed());
    expected.add(reference.vectors());
    assertThat(activations).hasSize(expected.size() + 1); // the first is the input itself
    for (int i = 0; i < expected.size(); i++) {
      String layer = "output of layer " + i;
      assertClose(layer, activations.get(i + 1), expected.get(i), VALUE_TOLERANCE);
    }
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("casesAndFormats")
  void gradientsAreThoseOfTheReference(ReferenceCase reference, CNN2DFormat format) {
    MultiLayerNetwork net = network(reference, format);

    net.setInput(inFormat(reference.input(), format));
    net.feedForward(true, false);
    Pair<Gradient, INDArray> gradients = net.backpropGradient(reference.outputGradient(), null);

    INDArray byInput = fromFormat(gradients.getSecond(), format);
    assertClose("∂L/∂F", byInput, reference.inputGradient(), GRADIENT_TOLERANCE);
    List<INDArray> byWeights = reference.weightGradients();
    assertThat(gradients.getFirst().gradientForVariable()).hasSize(byWeights.size());
    for (int i = 0; i < byWeights.size(); i++) {
      INDArray byW = gradients.getFirst().getGradientFor(parameterOfTransform(i));
      assertClose("∂L/∂W of transform " + i, byW, byWeights.get(i), GRADIENT_TOLERANCE);
    }
  }

  private static MultiLayerNetwork network(ReferenceCase reference, CNN2DFormat format) {
    ListBuilder layers = Networks.general(DataType.DOUBLE, new NoOp()).list();
    for (Layer layer : reference.head()) {
      layers.layer(layer);
    }
    long[] shape = reference.input().shape();
    layers.setInputType(InputType.convolutional(shape[2], shape[3], shape[1], format));
    MultiLayerNetwork net = new MultiLayerNetwork(layers.build());
    net.init();
    List<INDArray> weights = reference.weights();
    for (int i = 0; i < weights.size(); i++) {
      net.setParam(parameterOfTransform(i), weights.get(i));
    }
    return net;
  }

  /** The network's name of W: layer 0 is the kernel's, the transforms follow. */
  private static String parameterOfTransform(int i) {
    return (i + 1) + "_" + SpdTransformLayer.W;
  }

  private static INDArray inFormat(INDArray channelsFirst, CNN2DFormat format) {
    return format == CNN2DFormat.NHWC ? channelsFirst.permute(0, 2, 3, 1).dup() : channelsFirst;
  }

  private static INDArray fromFormat(INDArray array, CNN2DFormat format) {
    return format == CNN2DFormat.NHWC ? array.permute(0, 3, 1, 2) : array;
  }

  /**
   * Compares each difference with the largest entry, in plain Java, where it is certain that a NaN
   * fails.
   */
  private static void assertClose(
      String what, INDArray actual, INDArray expected, double tolerance) {
    assertThat(actual.shape()).as("shape of %s", what).isEqualTo(expected.shape());
    double[] got = numbers(actual);
    double[] wanted = numbers(expected);
    double allowed = tolerance * largest(wanted);
    for (int i = 0; i < wanted.length; i++) {
      double difference = Math.abs(got[i] - wanted[i]);
      if (!(difference <= allowed)) {
        throw new AssertionError(
            what
                + " is off by "
                + difference
                + " at "
                + i
                + ", got "
                + actual
                + " for "
                + expected);
      }
    }
  }

  private static double[] numbers(INDArray array) {
    return array.dup('c').reshape(array.length()).toDoubleVector();
  }

  private static double largest(double[] numbers) {
    return Arrays.stream(numbers).map(Math::abs).reduce(0, Math::max);
  }
}
