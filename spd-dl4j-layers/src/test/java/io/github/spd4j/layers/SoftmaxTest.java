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
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.Sgd;

/**
 * ND4J's softmax of several rows of DOUBLE does not subtract the largest number first: far from
 * zero it divides 0 by 0, or infinity by infinity.
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

  /** In FLOAT it is right, and so is its check, which computes in DOUBLE. */
  @Test
  void aCheckOfANetworkOfFloat() {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Sgd(0.1)),
            List.of(new BilinearPoolingLayer.Builder().build()),
            InputType.convolutional(5, 4, 2));
    net.getParam("out_b").subi(1000);
    GradientCheck check = GradientCheck.of(net, Networks.images(DataType.FLOAT, 1, 4, 2, 5, 4));
    assertThat(check.passes()).as(check.toString()).isTrue();
    assertThat(check.parameters()).allMatch(p -> Double.isFinite(p.gradient()));
    assertThat(check.parameters()).allMatch(p -> Double.isFinite(p.difference()));
  }

  /** In DOUBLE the network itself has no loss, which its check says. */
  @Test
  void aCheckOfANetworkOfDouble() {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.DOUBLE, new Sgd(0.1)),
            List.of(new BilinearPoolingLayer.Builder().build()),
            InputType.convolutional(5, 4, 2));
    DataSet images = Networks.images(DataType.DOUBLE, 1, 4, 2, 5, 4);
    assertThat(GradientCheck.of(net, images).toString()).doesNotContain("softmax");
    net.getParam("out_b").subi(1000);
    GradientCheck check = GradientCheck.of(net, images);
    assertThat(check.passes()).as(check.toString()).isTrue();
    assertThat(check.toString()).contains("makes the loss of this network NaN");
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
