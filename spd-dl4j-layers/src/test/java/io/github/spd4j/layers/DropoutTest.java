/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.testing.Examples;
import io.github.spd4j.testing.GradientChecks;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.SecondOrderCase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;

/** Maps and rows that are dropped while training, and kept at test time. */
class DropoutTest {

  private static final LayerWorkspaceMgr NONE = LayerWorkspaceMgr.noWorkspaces();

  @BeforeEach
  void seed() {
    Nd4j.getRandom().setSeed(4);
  }

  private static INDArray apply(IDropout dropout, INDArray input) {
    return dropout.applyDropout(input, input.ulike(), 0, 0, NONE);
  }

  @Test
  void theRateIsThatOfTheReference() {
    SecondOrderCase reference = SecondOrderCase.dropCov();
    DropCov dropout = new DropCov(reference.option("gamma"), 0.99);
    assertSmall(dropout.rate(reference.input()) - reference.option("rate"), ROUNDING);
  }

  @Test
  void theRateStaysInItsBounds() {
    INDArray maps = SecondOrderCase.dropCov().input();
    assertThat(new DropCov(1, 0.3).rate(maps)).isEqualTo(0.3);
    assertThat(new DropCov(1e9, 0.3).rate(maps)).isZero();
    assertThat(new DropCov().rate(maps.mul(0))).isEqualTo(DropCov.DEFAULT_MOST);
    assertThat(new DropCov().rate(Nd4j.randn(DataType.DOUBLE, 2, 1, 3, 3))).isZero();
  }

  /** Whole maps, of each image others; the rest is raised so that the mean stays. */
  @Test
  void mapsAreDroppedAsAWhole() {
    INDArray maps = Nd4j.randn(DataType.DOUBLE, 40, 30, 2, 2);
    DropCov dropout = new DropCov(1e-6, 0.4);
    INDArray factors = apply(dropout, maps).div(maps).reshape(1200, 4);
    double kept = 0;
    for (double[] row : factors.toDoubleMatrix()) {
      double expected = row[0] == 0 ? 0 : 1 / 0.6;
      for (double factor : row) {
        assertSmall(factor - expected, ROUNDING);
      }
      kept += row[0] == 0 ? 0 : 1;
    }
    assertThat(kept / 1200).isBetween(0.54, 0.66); // four deviations
    INDArray gradient = Nd4j.randn(DataType.DOUBLE, maps.shape());
    INDArray back = dropout.backprop(gradient, gradient.ulike(), 0, 0);
    assertClose(back, gradient.mul(factors.reshape(maps.shape())), ROUNDING);
  }

  @Test
  void rowsAreDroppedWithTheirColumns() {
    INDArray matrices = Examples.positiveMatrices(20, 10);
    SpdDropout dropout = new SpdDropout(0.7, 0.2);
    double[] input = matrices.data().asDouble();
    INDArray dropped = apply(dropout, matrices);
    double[] output = dropped.dup('c').data().asDouble();
    double kept = 0;
    for (int k = 0; k < 20; k++) {
      for (int i = 0; i < 10; i++) {
        boolean rowKept = isKept(output, k, i);
        kept += rowKept ? 1 : 0;
        for (int j = 0; j < 10; j++) {
          int place = (k * 10 + i) * 10 + j;
          double floor = i == j ? 0.2 / 0.7 : 0;
          double expected = rowKept && isKept(output, k, j) ? input[place] / 0.7 : floor;
          assertSmall(output[place] - expected, ROUNDING);
        }
      }
    }
    assertThat(kept / 200).isBetween(0.57, 0.83); // four deviations
    INDArray gradient = Nd4j.randn(DataType.DOUBLE, matrices.shape());
    INDArray back = dropout.backprop(gradient, gradient.ulike(), 0, 0);
    // Linear but for what is put on the diagonal, so that ⟨G, D(X) − D(0)⟩ = ⟨Dᵀ(G), X⟩.
    double linear =
        gradient.mul(dropped).sumNumber().doubleValue()
            - gradient.mul(onlyFloors(output, matrices.shape())).sumNumber().doubleValue();
    assertSmall(back.mul(matrices).sumNumber().doubleValue() / linear - 1, ROUNDING);
  }

  private static boolean isKept(double[] output, int k, int i) {
    return Math.abs(output[(k * 10 + i) * 10 + i] - 0.2 / 0.7) > 1e-12;
  }

  private static INDArray onlyFloors(double[] output, long[] shape) {
    double[] floors = new double[output.length];
    for (int place = 0; place < output.length; place += 1) {
      boolean diagonal = place % 100 % 11 == 0;
      floors[place] = diagonal && Math.abs(output[place] - 0.2 / 0.7) <= 1e-12 ? 0.2 / 0.7 : 0;
    }
    return Nd4j.createFromArray(floors).reshape(shape);
  }

  static Stream<List<Layer>> dropping() {
    Layer vector = new SpdVectorizationLayer.Builder().powerNormalization(false).build();
    KernelAggregationLayer.Builder covariance =
        new KernelAggregationLayer.Builder().kernel(new CovarianceKernel());
    return Stream.of(
        List.of(covariance.dropOut(new DropCov(1e-6, 0.4)).build(), vector.clone()),
        List.of(
            covariance.dropOut((IDropout) null).build(),
            new LogEigLayer.Builder().dropOut(new SpdDropout(0.6, 0.2)).build(),
            vector.clone()));
  }

  /** The rate of DropCov is at its bound, for it is a constant in the backward pass. */
  @ParameterizedTest
  @MethodSource("dropping")
  void gradientsBehindAConvolution(List<Layer> head) {
    ComputationGraph net = Networks.forGradientCheck(head, InputType.convolutional(6, 6, 1));
    DataSet data = Networks.images(DataType.DOUBLE, 1, 3, 1, 6, 6);
    Nd4j.getRandom().setSeed(9);
    assertThat(net.score(data, true)).isNotEqualTo(net.score(data, false));
    GradientChecks.checkFrozen(net, data, 9);
  }

  private static ComputationGraph net() {
    return Networks.convolutional(
        Networks.general(DataType.FLOAT, new Sgd(0.1)),
        List.of(
            new KernelAggregationLayer.Builder()
                .kernel(new CovarianceKernel())
                .dropOut(new DropCov(5, 0.6))
                .build(),
            new LogEigLayer.Builder().dropOut(new SpdDropout(0.8, 0.1)).build(),
            new SpdVectorizationLayer.Builder().build()),
        InputType.convolutional(6, 6, 2));
  }

  /** In the configuration, in a zip, and in training that goes on; never at test time. */
  @Test
  void networksWithDropout() throws IOException {
    ComputationGraph net = net();
    ComputationGraphConfiguration conf = net.getConfiguration();
    ComputationGraphConfiguration read = ComputationGraphConfiguration.fromJson(conf.toJson());
    assertThat(read).isEqualTo(conf);
    assertThat(conf.toJson()).contains("\"gamma\" : 5.0", "\"floor\" : 0.1");
    ByteArrayOutputStream zip = new ByteArrayOutputStream();
    ModelSerializer.writeModel(net, zip, true);
    ComputationGraph restored =
        ModelSerializer.restoreComputationGraph(new ByteArrayInputStream(zip.toByteArray()), true);
    DataSet data = Networks.images(DataType.FLOAT, 1, 4, 2, 6, 6);
    assertThat(net.outputSingle(data.getFeatures()))
        .isEqualTo(net.outputSingle(data.getFeatures()));
    for (ComputationGraph each : List.of(net, restored)) {
      Nd4j.getRandom().setSeed(3);
      each.fit(data);
      each.fit(data);
    }
    assertThat(restored.params()).isEqualTo(net.params());
    INDArray image = data.getFeatures();
    assertThat(net.feedForward(image, true).get("layer1"))
        .isNotEqualTo(net.feedForward(image, true).get("layer1"));
  }

  @Test
  void whatCannotBeDroppedIsRefused() {
    assertThatThrownBy(() -> new DropCov(0, 0.5)).hasMessageContaining("gamma = 0.0");
    assertThatThrownBy(() -> new DropCov(1, 1)).hasMessageContaining("most = 1.0");
    assertThatThrownBy(() -> new SpdDropout(0)).hasMessageContaining("p = 0.0");
    assertThatThrownBy(() -> new SpdDropout(1, -1)).hasMessageContaining("floor = -1.0");
    INDArray vectors = Nd4j.ones(2, 4);
    assertThatThrownBy(() -> apply(new DropCov(), vectors))
        .hasMessageContaining("expected feature maps [N, C, H, W], got shape [2, 4]");
    assertThatThrownBy(() -> apply(new SpdDropout(0.5), Nd4j.ones(2, 1, 4, 3)))
        .hasMessageContaining("expected matrices [N, 1, C, C], got shape [2, 1, 4, 3]");
    assertThatThrownBy(() -> new SpdDropout(0.5).backprop(vectors, vectors, 0, 0))
        .hasMessageContaining("expected a forward pass for training");
  }

  /** The layer knows where the channels are, and its dropout drops those. */
  @Test
  void channelsLast() {
    INDArray maps = SecondOrderCase.dropCov().input();
    INDArray last = maps.permute(0, 2, 3, 1).dup('c');
    DropCov dropout = new DropCov(1, 0.9).withFormat(CNN2DFormat.NHWC);
    assertSmall(dropout.rate(last) - new DropCov(1, 0.9).rate(maps), ROUNDING);
    Nd4j.getRandom().setSeed(8);
    INDArray dropped = apply(dropout, last);
    Nd4j.getRandom().setSeed(8);
    assertClose(dropped.permute(0, 3, 1, 2), apply(new DropCov(1, 0.9), maps), ROUNDING);

    KernelAggregationLayer layer =
        new KernelAggregationLayer.Builder().dropOut(new DropCov()).build();
    layer.setNIn(InputType.convolutional(6, 6, 2, CNN2DFormat.NHWC), true);
    assertThat(layer.getIDropout()).isEqualTo(new DropCov().withFormat(CNN2DFormat.NHWC));
    layer.setIDropout(new DropCov(5, 0.2));
    assertThat(layer.getIDropout()).isEqualTo(new DropCov(5, 0.2).withFormat(CNN2DFormat.NHWC));
  }
}
