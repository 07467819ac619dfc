/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.backbones.Scattering;
import io.github.spd4j.layers.ScatteringLayer;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.train.TinyTask;
import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.images.LabelledImages;
import java.util.Arrays;
import java.util.List;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex.Op;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;

/** Where networks can be cut, and what tells networks and sets of images apart. */
class BackboneAndHeadTest {

  private static final InputType IMAGE = InputType.convolutional(4, 4, 2);

  private static Layer convolution() {
    return new ConvolutionLayer.Builder(1, 1).nOut(2).build();
  }

  /** "second" has a way around it, from "first" to "join", or an input of its own. */
  private static ComputationGraph branched(Op op, String... inputs) {
    GraphBuilder graph =
        Networks.general(DataType.FLOAT, new Sgd(0.1)).graphBuilder().addInputs(inputs);
    InputType[] types = new InputType[inputs.length];
    Arrays.fill(types, IMAGE);
    String before = inputs.length == 1 ? "first" : inputs[1];
    ComputationGraph net =
        new ComputationGraph(
            graph
                .setInputTypes(types)
                .addLayer("first", convolution(), inputs[0])
                .addLayer("second", convolution(), before)
                .addVertex("join", new ElementWiseVertex(op), "first", "second")
                .addLayer("pool", new GlobalPoolingLayer(PoolingType.AVG), "join")
                .addLayer(
                    "out",
                    new OutputLayer.Builder().nOut(3).activation(Activation.SOFTMAX).build(),
                    "pool")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  private static BackboneAndHead cut(ComputationGraph net, String vertex) {
    return new BackboneAndHead(Backbone.of(net, vertex).marked());
  }

  @Test
  void everythingPassesThroughACut() {
    ComputationGraph net = branched(Op.Add, "in");
    assertThat(cut(net, "first").headVertices())
        .containsExactlyInAnyOrder("second", "join", "pool", "out");
    assertThat(cut(net, "join").headVertices()).containsExactlyInAnyOrder("pool", "out");
    assertThatThrownBy(() -> cut(net, "second"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got 'spd-maps', which these go around: [first → join]");
  }

  @Test
  void thereIsOneInput() {
    ComputationGraph two = branched(Op.Add, "in", "other");
    assertThatThrownBy(() -> cut(two, "join"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got inputs [in, other] and outputs [out]");
  }

  @Test
  void bothPartsTogetherAreTheNetwork() {
    BackboneAndHead cut = cut(branched(Op.Max, "in"), "join");
    ComputationGraph net = cut.net();
    INDArray image = Nd4j.rand(DataType.FLOAT, 3, 2, 4, 4);
    INDArray features = cut.detachedBackbone().outputSingle(image);
    ComputationGraph head = cut.detachedHead();
    assertThat(head.outputSingle(features)).isEqualTo(net.outputSingle(image));
    head.getParam("out_W").assign(0.5);
    cut.takeBack(head);
    assertThat(net.getParam("out_W").meanNumber().doubleValue()).isEqualTo(0.5);
  }

  private static byte[] key(Op op, String cut) {
    LabelledImages images = new InMemoryImages(Nd4j.zeros(2, 2, 4, 4), new int[2], 3);
    return Fingerprint.ofFeatures(cut(branched(op, "in"), cut), images);
  }

  /** The networks differ in a vertex without parameters. */
  @Test
  void featuresDependOnEveryVertexUpToTheCut() {
    assertThat(key(Op.Add, "join")).isEqualTo(key(Op.Add, "join"));
    assertThat(key(Op.Add, "join")).isNotEqualTo(key(Op.Max, "join"));
    assertThat(key(Op.Add, "first")).isEqualTo(key(Op.Max, "first"));
  }

  private static String layout(DataType type, int channels) {
    return Fingerprint.ofLayout(
        Networks.plain(
            Networks.general(type, new Sgd(0.1)),
            List.of(
                new ConvolutionLayer.Builder(1, 1).nOut(channels).build(),
                new GlobalPoolingLayer(PoolingType.AVG)),
            IMAGE));
  }

  @Test
  void theLayoutKnowsTypesAndShapesButNoWeights() {
    ComputationGraph net = TinyTask.net();
    String layout = Fingerprint.ofLayout(net);
    net.params().assign(0.1);
    assertThat(Fingerprint.ofLayout(net)).isEqualTo(layout).matches("[0-9a-f]{16}");
    assertThat(layout(DataType.FLOAT, 2)).isNotEqualTo(layout(DataType.FLOAT, 3));
    assertThat(layout(DataType.FLOAT, 2)).isNotEqualTo(layout(DataType.DOUBLE, 2));
  }

  /** Whatever changes, the norm of the weights is the same, or nearly so. */
  @Test
  void aFingerprintSeesEveryWeightInItsPlace() {
    ComputationGraph net = TinyTask.net();
    String whole = Fingerprint.ofNetwork(net);
    assertThat(whole).matches("[0-9a-f]{64}").isEqualTo(Fingerprint.ofNetwork(TinyTask.net()));
    INDArray weights = net.getParam("conv_W");
    double first = weights.getDouble(0, 0, 0, 0);
    double last = weights.getDouble(1, 1, 2, 2);
    weights.putScalar(new int[] {0, 0, 0, 0}, last).putScalar(new int[] {1, 1, 2, 2}, first);
    String swapped = Fingerprint.ofNetwork(net);
    assertThat(swapped).isNotEqualTo(whole);
    weights.negi();
    assertThat(Fingerprint.ofNetwork(net)).isNotIn(whole, swapped);
    ComputationGraph longer = TinyTask.net();
    assertThat(longer.getParam("out_b").putScalar(0, Math.ulp(1f)).getDouble(0)).isNotZero();
    assertThat(Fingerprint.ofNetwork(longer)).isNotEqualTo(whole);
  }

  @Test
  void aFingerprintSeesSettingsWhereThereAreNoWeights() {
    String usual = Fingerprint.ofNetwork(Scattering.backbone().net());
    ScatteringLayer other = new ScatteringLayer.Builder().scales(3).build();
    assertThat(Fingerprint.ofNetwork(Scattering.backbone(other).net())).isNotEqualTo(usual);
  }

  private static String images(int... labels) {
    return Fingerprint.ofImages(new InMemoryImages(Nd4j.zeros(labels.length, 1, 1, 1), labels, 3));
  }

  @Test
  void setsOfImagesDifferByNamesAndLabels() {
    assertThat(images(0, 1)).isEqualTo(images(0, 1)).matches("[0-9a-f]{16}");
    assertThat(images(0, 1)).isNotEqualTo(images(0, 2));
    assertThat(images(0, 1)).isNotEqualTo(images(0, 1, 0));
  }
}
