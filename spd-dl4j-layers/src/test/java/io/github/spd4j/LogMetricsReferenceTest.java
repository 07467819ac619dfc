/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;

import io.github.spd4j.layers.SpdBatchNormalizationLayer;
import io.github.spd4j.layers.SpdOutputLayer;
import io.github.spd4j.testing.LogMetricsCase;
import io.github.spd4j.testing.Networks;
import java.util.List;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.NoOp;

/**
 * Holds batch normalisation and classifier of SPD matrices to an independent script, which follows
 * the papers: products of Lie groups, and hyperplanes on a Riemannian manifold.
 */
class LogMetricsReferenceTest {

  static List<LogMetricsCase> normalisations() {
    return LogMetricsCase.of("normalisation");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("normalisations")
  void batchNormalisation(LogMetricsCase reference) {
    INDArray input = reference.array("input");
    SpdBatchNormalizationLayer layer =
        new SpdBatchNormalizationLayer.Builder()
            .metric(reference.metric())
            .decay(reference.number("decay"))
            .eps(reference.number("eps"))
            .build();
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            Networks.general(DataType.DOUBLE, new NoOp())
                .list()
                .layer(layer)
                .setInputType(InputType.convolutional(input.size(2), input.size(3), 1))
                .build());
    net.init();
    net.getParam("0_bias").assign(reference.array("bias"));
    net.getParam("0_dispersion").assign(reference.number("dispersion"));
    net.getParam("0_mean").assign(reference.array("mean"));
    net.getParam("0_variance").assign(reference.number("variance"));
    assertClose(net.output(input), reference.array("outputInUse"), ROUNDING);

    net.setInput(input);
    List<INDArray> activations = net.feedForward(true, false);
    assertClose(activations.get(1), reference.array("output"), ROUNDING);
    Pair<Gradient, INDArray> gradients = net.backpropGradient(reference.array("R"), null);
    assertClose(gradients.getSecond(), reference.array("gradInput"), ROUNDING);
    Gradient byParams = gradients.getFirst();
    assertClose(row(byParams.getGradientFor("0_bias")), reference.array("gradBias"), ROUNDING);
    double byDispersion = reference.number("gradDispersion");
    double actual = byParams.getGradientFor("0_dispersion").getDouble(0);
    assertSmall((actual - byDispersion) / byDispersion, ROUNDING);
    assertClose(row(net.getParam("0_mean")), reference.array("nextMean"), ROUNDING);
    double variance = reference.number("nextVariance");
    assertSmall((net.getParam("0_variance").getDouble(0) - variance) / variance, ROUNDING);
  }

  static List<LogMetricsCase> classifiers() {
    return LogMetricsCase.of("classifier");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("classifiers")
  void classifier(LogMetricsCase reference) {
    INDArray input = reference.array("input");
    INDArray w = reference.array("W");
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            Networks.general(DataType.DOUBLE, new NoOp())
                .list()
                .layer(
                    new SpdOutputLayer.Builder()
                        .metric(reference.metric())
                        .nOut((int) w.size(1))
                        .build())
                .setInputType(InputType.convolutional(input.size(2), input.size(3), 1))
                .build());
    net.init();
    net.getParam("0_W").assign(w);
    net.getParam("0_b").assign(reference.array("b"));
    assertClose(net.output(input), reference.array("probabilities"), ROUNDING);
    INDArray labels = Nd4j.zeros(DataType.DOUBLE, input.size(0), w.size(1));
    double[] classes = reference.array("labels").toDoubleVector();
    for (int i = 0; i < classes.length; i++) {
      labels.putScalar(i, (int) classes[i], 1);
    }
    double loss = net.score(new DataSet(input, labels)) * input.size(0);
    assertSmall((loss - reference.number("loss")) / loss, ROUNDING);
    INDArray byInput = net.calculateGradients(input, labels, null, null).getSecond();
    assertClose(byInput, reference.array("gradInput"), ROUNDING);
  }

  private static INDArray row(INDArray array) {
    return array.reshape(array.length());
  }
}
