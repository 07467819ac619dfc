/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.SecondOrderCase;
import java.util.List;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration.ListBuilder;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.NoOp;

/**
 * Holds square root, eigenvalue and compact bilinear layers, and heads made of them, to values and
 * gradients that an independent script computed without eigenvalues and with Fourier transforms.
 */
class SecondOrderReferenceTest {

  static List<SecondOrderCase> cases() {
    return SecondOrderCase.all();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void valuesAndGradientsAreThoseOfTheReference(SecondOrderCase reference) {
    MultiLayerNetwork net = network(reference);
    net.setInput(reference.input());
    List<INDArray> activations = net.feedForward(true, false);
    INDArray output = activations.get(activations.size() - 1);
    assertClose(output, reference.output(), ROUNDING);

    Pair<Gradient, INDArray> gradients = net.backpropGradient(reference.outputGradient(), null);
    assertClose(gradients.getSecond(), reference.inputGradient(), ROUNDING);
    List<INDArray> byWeights = reference.weightGradients();
    assertThat(gradients.getFirst().gradientForVariable()).hasSize(byWeights.size());
    for (int i = 0; i < byWeights.size(); i++) {
      INDArray byW = gradients.getFirst().getGradientFor(parameter(reference, i));
      assertClose(byW, byWeights.get(i), ROUNDING);
    }
  }

  private static MultiLayerNetwork network(SecondOrderCase reference) {
    ListBuilder layers = Networks.general(DataType.DOUBLE, new NoOp()).list();
    for (Layer layer : reference.layers()) {
      layers.layer(layer);
    }
    long[] shape = reference.input().shape();
    layers.setInputType(InputType.convolutional(shape[2], shape[3], shape[1]));
    MultiLayerNetwork net = new MultiLayerNetwork(layers.build());
    net.init();
    List<INDArray> weights = reference.weights();
    for (int i = 0; i < weights.size(); i++) {
      net.setParam(parameter(reference, i), weights.get(i));
    }
    return net;
  }

  private static String parameter(SecondOrderCase reference, int transform) {
    return reference.positionOfTransform(transform) + "_" + SpdTransformLayer.W;
  }
}
