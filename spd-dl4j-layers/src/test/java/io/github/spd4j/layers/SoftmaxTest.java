/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.github.spd4j.checks.GradientCheck;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.testing.Mixtures;
import io.github.spd4j.testing.Networks;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.CnnLossLayer;
import org.deeplearning4j.nn.conf.layers.Convolution1DLayer;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.RnnLossLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.common.util.ArrayUtil;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.impl.LossMCXENT;

/**
 * ND4J's softmax of several rows of DOUBLE does not subtract the largest number of a row if all are
 * negative: far below zero it divides 0 by 0.
 */
class SoftmaxTest {

  private static final InputType MAPS = InputType.convolutional(4, 3, 5);

  private static ComputationGraph net(SpdLayer layer, DataType type) {
    ComputationGraph net =
        Networks.plain(Networks.general(type, new Sgd(1e-3)), List.of(layer), MAPS);
    if (layer instanceof FisherVectorLayer) {
      Mixtures.storeIn(net.getLayer("layer0"));
    }
    return net;
  }

  /** Maps with an offset, as after a ReLU. */
  private static DataSet data(DataType type, double offset) {
    DataSet data = Networks.images(DataType.DOUBLE, 1, 6, 5, 4, 3);
    return new DataSet(data.getFeatures().add(offset).castTo(type), data.getLabels().castTo(type));
  }

  @Test
  void codewordsFarFromTheMaps() {
    ComputationGraph net =
        net(new TextureEncodingLayer.Builder().words(4).build(), DataType.DOUBLE);
    net.getParam("layer0_smoothing").assign(0.9);
    INDArray maps = data(DataType.DOUBLE, 30).getFeatures();
    INDArray one = net.feedForward(maps, false).get("layer0").dup();
    assertThat(Matrices.isFinite(one)).isTrue();
    ComputationGraph inFloat =
        net(new TextureEncodingLayer.Builder().words(4).build(), DataType.FLOAT);
    inFloat.params().assign(net.params());
    assertClose(inFloat.feedForward(maps.castTo(DataType.FLOAT), false).get("layer0"), one, 1e-3);
    net.fit(new DataSet(maps, data(DataType.DOUBLE, 0).getLabels()));
    assertThat(Matrices.isFinite(net.params())).isTrue();
  }

  @Test
  void mixturesFarFromTheMaps() {
    ComputationGraph net =
        net(new FisherVectorLayer.Builder().components(3).build(), DataType.DOUBLE);
    DataSet far = data(DataType.DOUBLE, 100);
    assertThat(Matrices.isFinite(net.feedForward(far.getFeatures(), false).get("layer0"))).isTrue();
    net.fit(far);
    assertThat(Matrices.isFinite(net.params())).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void biasesOfAnOutputLayerOfMatrices(DataType type) {
    ComputationGraph net = matrices(new SpdOutputLayer.Builder().nOut(3).build(), type);
    DataSet data = data(type, 0);
    INDArray before = net.outputSingle(data.getFeatures()).dup();
    double score = net.score(data);
    for (double shift : new double[] {-1000, 2000}) { // of all classes: no probability changes
      net.getParam("out_b").addi(shift);
      assertClose(
          net.outputSingle(data.getFeatures()), before, type == DataType.FLOAT ? 1e-3 : 1e-9);
      assertThat(net.score(data)).isCloseTo(score, offset(1e-3));
      net.fit(data);
      assertThat(Matrices.isFinite(net.params())).isTrue();
      net = matrices(new SpdOutputLayer.Builder().nOut(3).build(), type);
    }
  }

  /** Networks that end in logits of three classes, and a softmax of theirs. */
  static Stream<Arguments> softmaxes() {
    Layer dense = new DenseLayer.Builder().nOut(3).activation(Activation.IDENTITY).build();
    Layer pixels =
        new ConvolutionLayer.Builder(1, 1).nOut(3).activation(Activation.IDENTITY).build();
    Layer steps = new Convolution1DLayer.Builder(1).nOut(3).activation(Activation.IDENTITY).build();
    Layer asItIs = new LossLayer.Builder(new LossMCXENT()).activation(Activation.IDENTITY).build();
    InputType vectors = InputType.feedForward(4);
    return Stream.of(
        Arguments.of("OutputLayer", vectors, List.of(new OutputLayer.Builder().nOut(3).build())),
        Arguments.of(
            "LossLayer",
            vectors,
            List.of(dense, new LossLayer.Builder().activation(Activation.SOFTMAX).build())),
        Arguments.of(
            "CnnLossLayer",
            InputType.convolutional(2, 3, 4),
            List.of(pixels, new CnnLossLayer.Builder().activation(Activation.SOFTMAX).build())),
        Arguments.of(
            "RnnLossLayer",
            InputType.recurrent(4, 5),
            List.of(steps, new RnnLossLayer.Builder().activation(Activation.SOFTMAX).build())),
        Arguments.of(
            "DenseLayer",
            vectors,
            List.of(
                new DenseLayer.Builder().nOut(3).activation(Activation.SOFTMAX).build(), asItIs)),
        Arguments.of(
            "ActivationLayer",
            vectors,
            List.of(dense, new ActivationLayer(Activation.SOFTMAX), asItIs)));
  }

  private static GradientCheck checked(
      InputType type, List<Layer> layers, DataType dataType, double bias) {
    NeuralNetConfiguration.ListBuilder list =
        new NeuralNetConfiguration.Builder()
            .seed(1)
            .dataType(dataType)
            .updater(new Sgd(0.1))
            .activation(Activation.SOFTMAX)
            .list();
    layers.forEach(layer -> list.layer(layer.clone()));
    MultiLayerNetwork net = new MultiLayerNetwork(list.setInputType(type).build());
    net.init();
    net.getParam("0_b").addi(bias);
    INDArray features =
        Nd4j.randn(ArrayUtil.combine(new long[] {4}, type.getShape())).castTo(dataType);
    INDArray labels = net.output(features).assign(0);
    labels.get(NDArrayIndex.all(), NDArrayIndex.point(1)).assign(1);
    return GradientCheck.of(net, new DataSet(features, labels));
  }

  /** In FLOAT it is right, and so is its check, which computes in DOUBLE. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("softmaxes")
  void aCheckOfANetworkOfFloat(String name, InputType type, List<Layer> layers) {
    GradientCheck check = checked(type, layers, DataType.FLOAT, -1000);
    assertThat(check.passes()).as(check.toString()).isTrue();
    assertThat(check.parameters()).allMatch(p -> Double.isFinite(p.gradient()));
    assertThat(check.parameters()).allMatch(p -> Double.isFinite(p.difference()));
  }

  /** In DOUBLE the network itself has no loss, which its check says. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("softmaxes")
  void aCheckOfANetworkOfDouble(String name, InputType type, List<Layer> layers) {
    GradientCheck near = checked(type, layers, DataType.DOUBLE, 0);
    assertThat(near.passes()).as(near.toString()).isTrue();
    assertThat(near.toString()).doesNotContain("softmax");
    GradientCheck far = checked(type, layers, DataType.DOUBLE, -1000);
    assertThat(far.passes()).as(far.toString()).isFalse();
    assertThat(far.toString()).contains("the loss of this network is NaN", "train in FLOAT");
  }

  /** What pitfalls.md says of it; if this fails, ND4J has mended it. */
  @ParameterizedTest
  @CsvSource({"800, 0, false", "800, 800, false", "-800, 0, false", "-800, -800, true"})
  void theSoftmaxOfNd4j(double first, double others, boolean isNaN) {
    INDArray rows = Nd4j.createFromArray(new double[][] {{first, others, others}, {0, 0, 0}});
    assertThat(Matrices.isFinite(Nd4j.nn().softmax(rows))).isEqualTo(!isNaN);
    assertThat(Matrices.isFinite(Nd4j.nn().softmax(rows.castTo(DataType.FLOAT)))).isTrue();
  }

  private static ComputationGraph matrices(SpdOutputLayer output, DataType type) {
    ComputationGraph net =
        new ComputationGraph(
            Networks.general(type, new Sgd(1e-3))
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(MAPS)
                .addLayer("kernel", new KernelAggregationLayer.Builder().build(), "in")
                .addLayer("out", output, "kernel")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }
}
