/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** The graph with random parameters: its shapes, and its operations against plain loops. */
class GoogLeNetTest {

  /** Relative, for sums of some hundred products in single precision. */
  private static final double SINGLE_PRECISION = 1e-5;

  @TempDir static Path folder;

  @BeforeAll
  static void writeWeights() throws IOException {
    SyntheticWeights.write(folder);
  }

  @Tag("once")
  @ParameterizedTest
  @CsvSource({"224, 224, 14, 14", "231, 180, 14, 11", "97, 64, 6, 4"})
  void vertices4aTo4cHave512ChannelsAtAnySize(int height, int width, int rows, int columns)
      throws IOException {
    Map<String, INDArray> activations =
        GoogLeNet.load(folder, "inception-4c/output")
            .net()
            .feedForward(image(1, height, width), false);
    for (String name : List.of("inception-4a/output", "inception-4b/output")) {
      assertThat(activations.get(name).shape()).as(name).containsExactly(1, 512, rows, columns);
    }
    INDArray last = activations.get("inception-4c/output");
    assertThat(last.shape()).containsExactly(1, 512, rows, columns);
    assertThat(last.dataType()).isEqualTo(DataType.FLOAT);
    assertThat(last.stdNumber().doubleValue()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {224, 256})
  void theWholeNetworkGivesProbabilities(int size) throws IOException {
    ComputationGraph graph = GoogLeNet.load(folder).net();
    assertThat(graph.numParams()).isEqualTo(6_998_552);
    INDArray probabilities = graph.outputSingle(image(2, size, size));
    assertThat(probabilities.shape()).containsExactly(2, 1000);
    assertThat(probabilities.sumNumber().doubleValue()).isCloseTo(2, within(1e-4));
  }

  @Test
  void aVertexInsideOfAModuleNeedsNoOtherBranch() throws IOException {
    ComputationGraph graph = GoogLeNet.load(folder, "inception_3a/5x5").net();
    assertThat(graph.outputSingle(image(1, 64, 64)).shape()).containsExactly(1, 32, 8, 8);
    assertThat(graph.getVertices()).noneMatch(v -> v.getVertexName().equals("inception-3a/1x1"));
  }

  @Test
  void noNameHoldsTheSeparatorOfParameterKeys() {
    assertThat(GoogLeNet.vertexNames())
        .contains("inception-4a/output", "inception-4b/output", GoogLeNet.CLASSIFIER)
        .noneMatch(name -> name.contains("_"));
  }

  @ParameterizedTest
  @ValueSource(ints = {61, 64, 66})
  void poolingKeepsTheWindowsThatHangOverTheEdge(int size) throws IOException {
    Map<String, INDArray> activations =
        GoogLeNet.load(folder, "pool2/3x3-s2").net().feedForward(image(1, size, size), false);
    assertSame(
        activations.get("pool1/3x3-s2"), PlainLoops.maxPooling(activations.get("conv1/7x7-s2")));
    assertSame(
        activations.get("pool2/3x3-s2"), PlainLoops.maxPooling(activations.get("conv2/norm2")));
  }

  @Test
  void normalisationDividesAlphaByTheNumberOfChannels() throws IOException {
    // Large values, so that α counts.
    Map<String, INDArray> activations =
        GoogLeNet.load(folder, "pool1/norm1").net().feedForward(image(1, 64, 64).muli(100), false);
    INDArray input = activations.get("pool1/3x3-s2");
    INDArray expected = PlainLoops.normalisation(input);
    assertThat(expected.div(input.add(1e-6)).minNumber().doubleValue()).isLessThan(0.9);
    assertSame(activations.get("pool1/norm1"), expected);
  }

  @Test
  void convolutionsHaveTheirOwnParameters() throws IOException {
    INDArray image = image(1, 64, 64);
    Map<String, INDArray> activations =
        GoogLeNet.load(folder, "inception_3a/5x5").net().feedForward(image, false);
    RawWeights weights = RawWeights.open(folder);
    assertSame(
        activations.get("conv1/7x7-s2"),
        PlainLoops.convolution(image, weights, weights.entry("conv1/7x7_s2", 4)));
    assertSame(
        activations.get("inception-3a/5x5"),
        PlainLoops.convolution(
            activations.get("inception-3a/5x5-reduce"),
            weights,
            weights.entry("inception_3a/5x5", 4)));
  }

  @Test
  void theClassifierHasItsOwnParameters() throws IOException {
    ComputationGraph graph = GoogLeNet.load(folder).net();
    RawWeights weights = RawWeights.open(folder);
    RawWeights.Entry entry = weights.entry("loss3/classifier", 2);
    Map<String, INDArray> activations = graph.feedForward(image(1, 64, 64), false);
    INDArray features = activations.get("pool5/7x7-s1");
    INDArray scores = features.mmul(weights.weights(entry).transpose()).add(weights.biases(entry));
    assertSame(activations.get(GoogLeNet.CLASSIFIER), Nd4j.nn.softmax(scores, 1));
  }

  @Tag("once")
  @Test
  void aHeadCanBeGraftedAndTrainedTogetherWithAllOfIt() throws IOException {
    ComputationGraph graph =
        new TransferLearning.GraphBuilder(GoogLeNet.load(folder, "inception-4b/output").net())
            .fineTuneConfiguration(
                new FineTuneConfiguration.Builder().updater(new Sgd(0.01)).build())
            .addLayer(
                "mean",
                new GlobalPoolingLayer.Builder(PoolingType.AVG).build(),
                "inception-4b/output")
            .addLayer(
                "classes",
                new OutputLayer.Builder(LossFunction.MCXENT)
                    .nIn(512)
                    .nOut(3)
                    .activation(Activation.SOFTMAX)
                    .build(),
                "mean")
            .setOutputs("classes")
            .build();
    INDArray before = graph.getParam("conv1/7x7-s2_W").dup();
    graph.fit(new DataSet(image(3, 64, 64), Nd4j.eye(3).castTo(DataType.FLOAT)));
    assertThat(graph.score()).isFinite();
    assertThat(graph.getParam("conv1/7x7-s2_W")).isNotEqualTo(before);
  }

  private static INDArray image(int count, int height, int width) {
    return Nd4j.rand(DataType.FLOAT, count, 3, height, width);
  }

  private static void assertSame(INDArray actual, INDArray expected) {
    assertThat(actual.shape()).isEqualTo(expected.shape());
    double difference = actual.sub(expected).norm2Number().doubleValue();
    assertThat(difference).isNotNaN();
    assertThat(difference / expected.norm2Number().doubleValue()).isLessThan(SINGLE_PRECISION);
  }
}
