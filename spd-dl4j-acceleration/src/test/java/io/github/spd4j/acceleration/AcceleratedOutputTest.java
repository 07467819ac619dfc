/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.weightnoise.DropConnect;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Output layers of long vectors, against DL4J's own. */
class AcceleratedOutputTest {

  /** Long enough for threads to divide it, even for one example. */
  private static final int LENGTH = 160_001;

  private static final int CLASSES = 7;

  @BeforeEach
  void sameNumbers() {
    Nd4j.getRandom().setSeed(7);
  }

  private static OutputLayer.Builder output() {
    return new OutputLayer.Builder()
        .nOut(CLASSES)
        .activation(Activation.SOFTMAX)
        .biasInit(0.3)
        .l2(0.01);
  }

  private static ComputationGraph graph(DataType type, OutputLayer.Builder output) {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(5)
                .dataType(type)
                .updater(new Nesterovs(0.1, 0.9))
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(InputType.feedForward(LENGTH))
                .addLayer("out", output.build(), "in")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  private static ComputationGraph accelerated(ComputationGraph net) {
    Acceleration.applyTo(net, NativeLibrary.BLAS);
    return net;
  }

  private static boolean isAccelerated(ComputationGraph net) {
    return net.getLayer("out") instanceof AcceleratedOutputLayer
        && net.getLayers()[0] == net.getLayer("out")
        && net.getOutputLayer(0) == net.getLayer("out");
  }

  private static DataSet data(int examples) {
    INDArray labels = Nd4j.zeros(DataType.FLOAT, examples, CLASSES);
    for (int i = 0; i < examples; i++) {
      labels.putScalar(i, i % CLASSES, 1);
    }
    return new DataSet(Nd4j.randn(DataType.FLOAT, examples, LENGTH).muli(0.02), labels);
  }

  private static void assertSame(ComputationGraph one, ComputationGraph other, DataSet data) {
    assertClose(
        one.outputSingle(data.getFeatures()),
        other.outputSingle(data.getFeatures()),
        FLOAT_ROUNDING);
    assertThat(one.score(data)).isCloseTo(other.score(data), withinPercentage(0.001));
    for (int step = 0; step < 3; step++) {
      one.fit(data);
      other.fit(data);
      assertThat(one.score()).isCloseTo(other.score(), withinPercentage(0.01));
    }
    assertClose(one.params(), other.params(), FLOAT_ROUNDING);
  }

  @Test
  void answersScoresAndStepsAreTheSame() {
    for (int examples : new int[] {1, 6}) {
      ComputationGraph net = accelerated(graph(DataType.FLOAT, output()));
      assertThat(isAccelerated(net)).isTrue();
      assertThat(Acceleration.isAppliedTo(net)).isTrue();
      assertSame(net, graph(DataType.FLOAT, output()), data(examples));
    }
  }

  @Test
  void aNetworkThatHasBeenTrainedGoesOnAsBefore() {
    DataSet data = data(6);
    ComputationGraph net = graph(DataType.FLOAT, output());
    ComputationGraph plain = graph(DataType.FLOAT, output());
    net.fit(data);
    plain.fit(data);
    assertSame(accelerated(net), plain, data);
  }

  @Test
  void vectorsInAnotherOrderAndAnOutputWithoutBiasAreComputedToo() {
    DataSet data = data(6);
    data.setFeatures(data.getFeatures().dup('f'));
    OutputLayer.Builder noBias = output().hasBias(false);
    assertSame(accelerated(graph(DataType.FLOAT, noBias)), graph(DataType.FLOAT, noBias), data);
  }

  @Test
  void whatIsRareIsLeftToDl4j() {
    DataSet data = data(6);
    data.setLabelsMaskArray(Nd4j.createFromArray(1f, 0f, 1f, 1f, 0f, 1f).reshape(6, 1));
    assertSame(accelerated(graph(DataType.FLOAT, output())), graph(DataType.FLOAT, output()), data);
    ComputationGraph exact = accelerated(graph(DataType.DOUBLE, output()));
    assertThat(isAccelerated(exact)).isFalse();
    ComputationGraph net = accelerated(graph(DataType.FLOAT, output()));
    assertThatThrownBy(() -> net.outputSingle(Nd4j.zeros(3, LENGTH - 1)))
        .isInstanceOf(DL4JInvalidInputException.class);
  }

  @Test
  void aScoreIsOfThePresentParameters() {
    DataSet data = data(6);
    ComputationGraph net = accelerated(graph(DataType.FLOAT, output()));
    net.setInput(0, data.getFeatures());
    net.setLabels(data.getLabels());
    net.computeGradientAndScore();
    double before = net.score();
    net.setParams(net.params().mul(0.5));
    assertThat(net.score(data)).isNotEqualTo(before);
    net.computeGradientAndScore();
    ComputationGraph plain = graph(DataType.FLOAT, output());
    plain.setParams(net.params());
    assertThat(net.score()).isCloseTo(plain.score(data), withinPercentage(0.01));
  }

  /** A loss that is told the numbers of the classes has other labels. */
  @Test
  void labelsThatAreClassNumbersAreLeftToDl4j() {
    DataSet data = data(6);
    data.setLabels(data.getLabels().argMax(1).castTo(DataType.FLOAT).reshape(6, 1));
    OutputLayer.Builder sparse =
        new OutputLayer.Builder(LossFunction.SPARSE_MCXENT)
            .nOut(CLASSES)
            .activation(Activation.SOFTMAX);
    assertSame(accelerated(graph(DataType.FLOAT, sparse)), graph(DataType.FLOAT, sparse), data);
  }

  @Test
  void dropoutAndNoiseAreApplied() {
    DataSet data = data(6);
    OutputLayer.Builder noisy = output().dropOut(0.5).weightNoise(new DropConnect(0.5));
    ComputationGraph net = accelerated(graph(DataType.FLOAT, noisy));
    assertClose(
        net.outputSingle(data.getFeatures()),
        graph(DataType.FLOAT, noisy).outputSingle(data.getFeatures()),
        FLOAT_ROUNDING);
    net.setInput(0, data.getFeatures());
    net.setLabels(data.getLabels());
    net.computeGradientAndScore();
    double first = net.score();
    net.computeGradientAndScore();
    assertThat(net.score()).isFinite().isNotEqualTo(first);
  }

  @Test
  void clonesHaveItAndFilesDoNotKnow() {
    ComputationGraph plain = graph(DataType.FLOAT, output());
    ComputationGraph net = accelerated(graph(DataType.FLOAT, output()));
    assertThat(net.summary()).contains("AcceleratedOutputLayer");
    assertThat(net.getConfiguration().toJson()).isEqualTo(plain.getConfiguration().toJson());
    assertThat(net.getConfiguration()).isEqualTo(plain.getConfiguration());
    ComputationGraph clone = net.clone();
    assertThat(isAccelerated(clone)).isTrue();
    assertThat(isAccelerated(plain.clone())).isFalse();
    assertSame(clone, plain, data(6));
  }

  @Test
  void aNetworkOfLayersIsAcceleratedToo() {
    DataSet data = data(6);
    MultiLayerNetwork net = sequence();
    MultiLayerNetwork plain = sequence();
    Acceleration.applyTo(net, NativeLibrary.BLAS);
    assertThat(net.getLayer("out")).isInstanceOf(AcceleratedOutputLayer.class);
    assertThat(net.getOutputLayer()).isSameAs(net.getLayer("out"));
    assertThat(Acceleration.isAppliedTo(net.clone())).isTrue();
    for (int step = 0; step < 3; step++) {
      net.fit(data);
      plain.fit(data);
    }
    assertClose(net.params(), plain.params(), FLOAT_ROUNDING);
    assertClose(net.output(data.getFeatures()), plain.output(data.getFeatures()), FLOAT_ROUNDING);
  }

  private static MultiLayerNetwork sequence() {
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            new NeuralNetConfiguration.Builder()
                .seed(5)
                .updater(new Nesterovs(0.1, 0.9))
                .list(output().name("out").nIn(LENGTH).build())
                .build());
    net.init();
    return net;
  }
}
