/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import static io.github.spd4j.testing.Tolerances.DERIVATIVE;
import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.backbones.Resnet50;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.layers.TextureEncodingLayer;
import io.github.spd4j.testing.FiniteDifferences;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.SmallBackbone;
import io.github.spd4j.train.FisherVectors;
import io.github.spd4j.train.images.InMemoryImages;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.util.ModelSerializer;
import org.deeplearning4j.zoo.model.ResNet50;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.ops.transforms.Transforms;

/** Deep-TEN, FV-CNN and FV-FC-CNN on backbones. */
class EncodingHeadTest {

  static Stream<Head> fisherHeads() {
    return Stream.of(
        fisherVectors(3, 2),
        Head.fisherVectors()
            .with(FisherVectorLayer.Builder.class, vector -> vector.components(2))
            .convolution(5)
            .scale(2)
            .withFullyConnected());
  }

  private static Head fisherVectors(int components, int dimensions) {
    return Head.fisherVectors()
        .with(
            FisherVectorLayer.Builder.class,
            vector -> vector.components(components).dimensions(dimensions));
  }

  private static Head deepTen(int channels, int words) {
    return Head.deepTen()
        .convolution(channels)
        .batchNormalization()
        .with(TextureEncodingLayer.Builder.class, encoding -> encoding.words(words));
  }

  private static DataSet images(DataType type) {
    return Networks.images(type, 1, SmallBackbone.IMAGES);
  }

  private static SpdGraft graft(ComputationGraph backbone, Head head) {
    return SpdGraft.onto(Backbone.of(backbone, "last"))
        .head(head)
        .classes(Networks.CLASSES)
        .seed(1);
  }

  private static ComputationGraph fitted(SpdGraft graft) {
    ComputationGraph net = graft.build();
    DataType type = net.getConfiguration().getDataType();
    FisherVectors.of(net).fit(new InMemoryImages(images(type)));
    return net;
  }

  @ParameterizedTest
  @MethodSource("fisherHeads")
  void fittedTheyTrainAndAreSaved(Head head, @TempDir Path directory) throws IOException {
    FineTuneConfiguration fineTune =
        new FineTuneConfiguration.Builder().updater(new Nesterovs(0.005, 0.9)).l2(1e-3).build();
    SpdGraft graft = graft(SmallBackbone.create(), head).fineTune(fineTune);
    DataSet data = images(DataType.FLOAT);
    assertThatThrownBy(() -> graft.build().outputSingle(data.getFeatures()))
        .hasMessageContaining("FisherVectorLayer 'spd-vector'")
        .hasMessageContaining("fitted");
    ComputationGraph net = fitted(graft.frozenBackbone());
    INDArray mixture = net.getLayer(SpdGraft.VECTOR).params().dup();
    double before = net.score(data);
    net.fit(data);
    net.fit(data);
    assertThat(net.score(data)).isLessThan(before);
    assertSmall(net.getLayer(SpdGraft.VECTOR).params().distance2(mixture), 0);
    File file = directory.resolve("net.zip").toFile();
    ModelSerializer.writeModel(net, file, true);
    ComputationGraph read = ModelSerializer.restoreComputationGraph(file);
    assertThat(read.outputSingle(data.getFeatures()))
        .isEqualTo(net.outputSingle(data.getFeatures()));
    read.fit(data);
  }

  /** The joined vector is the Fisher vector and the fully connected features, each of length 1. */
  @Test
  void fullyConnectedFeaturesAreJoined() {
    Head head = fisherVectors(3, 2).scale(4).withFullyConnected();
    ComputationGraph net = fitted(graft(SmallBackbone.create(), head));
    Map<String, INDArray> all = net.feedForward(images(DataType.FLOAT).getFeatures(), false);
    INDArray joined = all.get(SpdGraft.JOINED).getRow(0);
    assertThat(joined.length()).isEqualTo(2 * 3 * 2 + SmallBackbone.FC_WIDTH);
    INDArray connected = all.get("fc").getRow(0);
    INDArray unit = connected.mul(4).div(connected.norm2Number());
    for (int i = 0; i < SmallBackbone.FC_WIDTH; i++) {
      assertSmall(joined.getDouble(12 + i) - unit.getDouble(i), FLOAT_ROUNDING);
    }
    for (int i = 0; i < 12; i++) {
      assertSmall(joined.getDouble(i) - all.get(SpdGraft.VECTOR).getDouble(0, i), FLOAT_ROUNDING);
    }
  }

  @Tag("once")
  @Test
  void withoutFullyConnectedLayersTheMeanOfEachMapIsJoined() {
    Head head = fisherVectors(3, 2).withFullyConnected();
    for (CNN2DFormat format : CNN2DFormat.values()) {
      ComputationGraph backbone =
          SmallBackbone.of(DataType.FLOAT).format(format).withoutTop().build();
      ComputationGraph net = graft(backbone, head).build();
      INDArray images = images(DataType.FLOAT).getFeatures();
      INDArray input = format == CNN2DFormat.NHWC ? images.permute(0, 2, 3, 1).dup() : images;
      FisherVectors.of(net).fit(new InMemoryImages(input, new int[4], 3));
      Map<String, INDArray> all = net.feedForward(input, false);
      assertThat(all.get(SpdGraft.JOINED).size(1))
          .isEqualTo(2 * 3 * 2 + SmallBackbone.LAST_CHANNELS);
      INDArray mean =
          all.get("last").mean(format == CNN2DFormat.NHWC ? new int[] {1, 2} : new int[] {2, 3});
      assertClose(all.get(SpdGraft.AVERAGE), mean, FLOAT_ROUNDING);
      net.fit(new DataSet(input, images(DataType.FLOAT).getLabels()));
    }
  }

  @Test
  void gradientsOfAJoinedHead() {
    Head head = fisherVectors(2, 2).scale(2).withFullyConnected();
    ComputationGraph net = fitted(graft(SmallBackbone.of(DataType.DOUBLE).build(), head));
    INDArray weights = net.getParam(SpdGraft.CLASSIFIER + "_W"); // from zero nothing goes back
    weights.assign(Nd4j.randn(DataType.DOUBLE, weights.shape()));
    DataSet data = images(DataType.DOUBLE);
    net.setInput(0, data.getFeatures());
    net.setLabel(0, data.getLabels());
    net.computeGradientAndScore();
    INDArray gradient = net.gradient().gradient().div(data.numExamples());
    INDArray params = net.params().dup();
    net.params().assign(Nd4j.randn(DataType.DOUBLE, params.shape()));
    net.getLayer(SpdGraft.VECTOR).params().assign(0); // which does not learn
    INDArray direction = net.params().dup();
    double expected =
        FiniteDifferences.along(
            p -> {
              net.params().assign(p);
              return net.score(data);
            },
            params,
            direction);
    double actual = gradient.mul(direction).sumNumber().doubleValue();
    assertSmall((actual - expected) / expected, DERIVATIVE);
  }

  @ParameterizedTest
  @EnumSource(CNN2DFormat.class)
  void batchNormalisationComesBetweenConvolutionAndRelu(CNN2DFormat format) {
    ComputationGraph backbone = SmallBackbone.of(DataType.FLOAT).format(format).build();
    Head head = deepTen(5, 3);
    ComputationGraph net = graft(backbone, head).build();
    boolean last = format == CNN2DFormat.NHWC;
    INDArray images = images(DataType.FLOAT).getFeatures();
    INDArray input = last ? images.permute(0, 2, 3, 1).dup() : images;
    Map<String, INDArray> all = net.feedForward(input, true);
    assertThat(all.get(SpdGraft.CONVOLUTION).minNumber().doubleValue()).isNegative();
    INDArray normalised = all.get(SpdGraft.BATCH_NORMALIZATION);
    INDArray means = last ? normalised.mean(0, 1, 2) : normalised.mean(0, 2, 3);
    assertThat(means.length()).isEqualTo(5);
    assertSmall(means.norm2Number().doubleValue(), FLOAT_ROUNDING);
    INDArray rectified = all.get(SpdGraft.RELU);
    assertClose(rectified, Transforms.relu(normalised), FLOAT_ROUNDING);
    net.fit(new DataSet(input, images(DataType.FLOAT).getLabels()));
    assertThat(net.score()).isFinite();
  }

  /** The zoo's ResNet50 with random weights, cut after its last block as in the paper. */
  @Tag("once")
  @Test
  void deepTenOnResNet50() {
    ResNet50 resNet = ResNet50.builder().numClasses(2).inputShape(new int[] {3, 160, 160}).build();
    ComputationGraph zoo = resNet.init();
    assertThat(Resnet50.lastActivation(zoo)).isEqualTo("res5c_branch");
    ComputationGraph net =
        SpdGraft.onto(Backbone.of(zoo, Resnet50.lastActivation(zoo)))
            .head(deepTen(128, 32))
            .classes(Networks.CLASSES)
            .seed(1)
            .build();
    assertThat(net.getParam(SpdGraft.CONVOLUTION + "_W").shape()).containsExactly(128, 2048, 1, 1);
    assertThat(net.getParam(SpdGraft.VECTOR + "_codewords").shape()).containsExactly(32, 128);
    assertThat(net.getParam(SpdGraft.CLASSIFIER + "_W").shape()).containsExactly(32 * 128, 3);
    INDArray codewords = net.getParam(SpdGraft.VECTOR + "_codewords").dup();
    net.fit(Networks.images(DataType.FLOAT, 1, 2, 3, 64, 64)); // the classifier learns alone
    net.fit(Networks.images(DataType.FLOAT, 1, 2, 3, 64, 64));
    assertThat(net.score()).isFinite();
    INDArray learnt = net.getParam(SpdGraft.VECTOR + "_codewords");
    assertThat(learnt.distance2(codewords)).isPositive().isFinite();
  }
}
