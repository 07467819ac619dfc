/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.testing.Networks;
import java.util.List;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.Sgd;

class TextureEncodingLayerTest {

  private static final InputType MAPS = InputType.convolutional(3, 3, 5);

  private static TextureEncodingLayer.Builder layer() {
    return new TextureEncodingLayer.Builder();
  }

  private static ComputationGraph net(TextureEncodingLayer layer) {
    return Networks.plain(Networks.general(DataType.DOUBLE, new Sgd(0.1)), List.of(layer), MAPS);
  }

  @Test
  void startsAsInThePaper() {
    ComputationGraph net = net(layer().build());
    INDArray codewords = net.getParam("layer0_codewords");
    INDArray smoothing = net.getParam("layer0_smoothing");
    double bound = 1 / Math.sqrt(32 * 5);
    assertThat(codewords.shape()).containsExactly(32, 5);
    assertThat(codewords.maxNumber().doubleValue()).isBetween(0.9 * bound, bound);
    assertThat(codewords.minNumber().doubleValue()).isBetween(-bound, -0.9 * bound);
    assertThat(smoothing.shape()).containsExactly(1, 32);
    assertThat(smoothing.minNumber().doubleValue()).isBetween(0.0, 0.3);
    assertThat(smoothing.maxNumber().doubleValue()).isBetween(0.7, 1.0);
    assertThat(net(layer().build()).params()).isEqualTo(net.params()); // the seed decides
  }

  /** Zero smoothing shares every descriptor equally: e_k = Σ_i (x_i − c_k) / K. */
  @Test
  void withoutSmoothingAllWordsHaveTheSameShare() {
    ComputationGraph net = net(layer().words(3).l2Normalization(false).build());
    net.getParam("layer0_smoothing").assign(0);
    INDArray maps = Networks.images(DataType.DOUBLE, 1, 2, 5, 3, 3).getFeatures();
    INDArray sums = maps.sum(2, 3).reshape(2, 1, 5);
    INDArray words = net.getParam("layer0_codewords").reshape(1, 3, 5).mul(9);
    INDArray expected = sums.sub(words).divi(3).reshape(2, 15);
    assertClose(net.feedForward(maps, false).get("layer0"), expected, ROUNDING);
  }

  /** Words and descriptors that move together leave every residual as it was. */
  @Test
  void onlyResidualsCount() {
    ComputationGraph net = net(layer().words(3).build());
    INDArray maps = Networks.images(DataType.DOUBLE, 1, 2, 5, 3, 3).getFeatures();
    INDArray before = net.feedForward(maps, false).get("layer0").dup();
    INDArray shift = Nd4j.randn(DataType.DOUBLE, 1, 5);
    net.getParam("layer0_codewords").addi(shift);
    INDArray moved = maps.add(shift.reshape(1, 5, 1, 1));
    assertClose(net.feedForward(moved, false).get("layer0"), before, ROUNDING);
  }

  @Test
  void learnsWithAnOrdinaryUpdater() {
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      ComputationGraph net =
          Networks.plain(
              Networks.general(type, new Adam(0.02)).weightDecay(1e-4),
              List.of(layer().words(4).scale(10).build()),
              MAPS);
      INDArray codewords = net.getParam("layer0_codewords").dup();
      INDArray smoothing = net.getParam("layer0_smoothing").dup();
      DataSet data = Networks.images(type, 1, 9, 5, 3, 3);
      double before = net.score(data);
      for (int i = 0; i < 30; i++) {
        net.fit(data);
      }
      assertThat(net.score(data)).isLessThan(0.5 * before);
      assertThat(net.getParam("layer0_codewords")).isNotEqualTo(codewords);
      assertThat(net.getParam("layer0_smoothing")).isNotEqualTo(smoothing);
    }
  }

  /** With a gradient of zero, the codewords shrink by the network's penalty; smoothing does not. */
  @Test
  void penaltiesOfTheNetworkReachTheCodewords() {
    ComputationGraph net =
        Networks.plain(
            Networks.general(DataType.DOUBLE, new Sgd(0.1)).l2(0.5),
            List.of(layer().words(2).build()),
            MAPS);
    net.getParam("out_W").assign(0); // nothing comes back from there
    INDArray codewords = net.getParam("layer0_codewords").dup();
    INDArray smoothing = net.getParam("layer0_smoothing").dup();
    net.fit(Networks.images(DataType.DOUBLE, 1, 3, 5, 3, 3));
    assertClose(net.getParam("layer0_codewords"), codewords.mul(1 - 0.1 * 0.5), ROUNDING);
    assertClose(net.getParam("layer0_smoothing"), smoothing, ROUNDING);
  }

  @Test
  void refusesWhatItCannotUse() {
    ComputationGraph net = net(layer().words(2).build());
    assertThatThrownBy(() -> net.outputSingle(Nd4j.ones(2, 4, 3, 3)))
        .isInstanceOf(DL4JInvalidInputException.class)
        .hasMessageContaining("TextureEncodingLayer 'layer0': expected input with 5 channels")
        .hasMessageContaining("[2, 4, 3, 3]");
  }
}
