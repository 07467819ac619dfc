/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static java.util.stream.Collectors.toList;

import io.github.spd4j.layers.SpdBatchNormalizationLayer;
import io.github.spd4j.layers.SpdOutputLayer;
import io.github.spd4j.testing.KindCase;
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

  /** SameDiff of 1.0.0-M1.1 takes a quarter of a minute for a case of the affine-invariant kind. */
  private static final boolean FEW = Boolean.getBoolean("spd4j.oneOfAKind");

  static List<KindCase> normalisations() {
    return few(KindCase.ofLogMetrics("normalisation"));
  }

  private static List<KindCase> few(List<KindCase> cases) {
    return cases.stream()
        .filter(each -> !FEW || !each.isAffineInvariant() || each.array("input").size(2) == 1)
        .collect(toList());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("normalisations")
  void batchNormalisation(KindCase reference) {
    INDArray input = reference.array("input");
    MultiLayerNetwork net = normalisation(reference, input, 1);
    net.getParam("0_mean").assign(reference.array("mean"));
    net.getParam("0_variance").assign(reference.number("variance"));
    INDArray byInput = compare(net, input, reference);
    assertClose(byInput, reference.array("gradInput"), ROUNDING);
    assertClose(row(net.getParam("0_mean")), reference.array("nextMean"), ROUNDING);
    double variance = reference.number("nextVariance");
    assertSmall((net.getParam("0_variance").getDouble(0) - variance) / variance, ROUNDING);
  }

  static List<KindCase> domains() {
    return few(KindCase.ofLogMetrics("domains"));
  }

  /** Also a domain with one example, and one with none. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("domains")
  void batchNormalisationByDomain(KindCase reference) {
    INDArray matrices = reference.array("input");
    INDArray numbers = matrices.ulike();
    double[] domains = reference.array("domains").toDoubleVector();
    for (int i = 0; i < domains.length; i++) {
      numbers.slice(i).assign(domains[i]);
    }
    INDArray input = Nd4j.concat(1, matrices, numbers);
    INDArray mean = reference.array("mean");
    MultiLayerNetwork net = normalisation(reference, input, (int) mean.size(0));
    net.getParam("0_mean").assign(mean);
    net.getParam("0_variance").assign(reference.array("variance").reshape(-1, 1));
    INDArray byInput = compare(net, input, reference);
    INDArray none = numbers.like();
    assertClose(byInput, Nd4j.concat(1, reference.array("gradInput"), none), ROUNDING);
    assertClose(net.getParam("0_mean"), reference.array("nextMean"), ROUNDING);
    assertClose(row(net.getParam("0_variance")), reference.array("nextVariance"), ROUNDING);
  }

  private static MultiLayerNetwork normalisation(KindCase reference, INDArray input, int domains) {
    SpdBatchNormalizationLayer layer =
        new SpdBatchNormalizationLayer.Builder()
            .metric(reference.metric())
            .affineInvariant(reference.isAffineInvariant())
            .decay(reference.number("decay"))
            .eps(reference.number("eps"))
            .domains(domains)
            .build();
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            Networks.general(DataType.DOUBLE, new NoOp())
                .list()
                .layer(layer)
                .setInputType(InputType.convolutional(input.size(2), input.size(3), input.size(1)))
                .build());
    net.init();
    net.getParam("0_bias").assign(reference.array("bias"));
    net.getParam("0_dispersion").assign(reference.number("dispersion"));
    return net;
  }

  /** Compares outputs and gradients by what is learnt; the gradient by the input is returned. */
  private static INDArray compare(MultiLayerNetwork net, INDArray input, KindCase reference) {
    assertClose(net.output(input), reference.array("outputInUse"), ROUNDING);
    net.setInput(input);
    List<INDArray> activations = net.feedForward(true, false);
    assertClose(activations.get(1), reference.array("output"), ROUNDING);
    Pair<Gradient, INDArray> gradients = net.backpropGradient(reference.array("R"), null);
    Gradient byParams = gradients.getFirst();
    assertClose(row(byParams.getGradientFor("0_bias")), reference.array("gradBias"), ROUNDING);
    double byDispersion = reference.number("gradDispersion");
    double actual = byParams.getGradientFor("0_dispersion").getDouble(0);
    assertSmall((actual - byDispersion) / byDispersion, ROUNDING);
    return gradients.getSecond();
  }

  static List<KindCase> classifiers() {
    return KindCase.ofLogMetrics("classifier");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("classifiers")
  void classifier(KindCase reference) {
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
    Pair<Gradient, INDArray> gradients = net.calculateGradients(input, labels, null, null);
    assertClose(gradients.getSecond(), reference.array("gradInput"), ROUNDING);
    Gradient byParams = gradients.getFirst();
    assertClose(byParams.getGradientFor("0_W"), reference.array("gradW"), ROUNDING);
    assertClose(row(byParams.getGradientFor("0_b")), reference.array("gradB"), ROUNDING);
  }

  private static INDArray row(INDArray array) {
    return array.reshape(array.length());
  }
}
