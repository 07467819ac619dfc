/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import static io.github.spd4j.graft.SpdGraftTest.fineTune;
import static io.github.spd4j.graft.SpdGraftTest.fit;
import static io.github.spd4j.graft.SpdGraftTest.graft;
import static io.github.spd4j.graft.SpdGraftTest.images;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.SmallBackbone;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** The head that a network has of itself. */
class FullyConnectedTest {

  @Test
  void itKeepsWhatTheBackboneHas() {
    ComputationGraph backbone = SmallBackbone.create();
    ComputationGraph net =
        graft(backbone, Head.fullyConnected()).frozenBackbone().fineTune(fineTune()).build();
    assertThat(net.getLayer("fc").params()).isEqualTo(backbone.getLayer("fc").params());
    assertThat(net.getParam(SpdGraft.CLASSIFIER + "_W").shape())
        .containsExactly(SmallBackbone.FC_WIDTH, Networks.CLASSES);
    fit(net, images(DataType.FLOAT));
    assertThat(net.getLayer("last").params()).isEqualTo(backbone.getLayer("last").params());
    assertThat(net.getLayer("fc").params()).isNotEqualTo(backbone.getLayer("fc").params());
  }

  /**
   * A network from elsewhere has a softmax layer and a loss behind it instead of our output layer.
   */
  @Test
  void itKnowsAClassifierWithALossOfItsOwn() {
    ComputationGraph backbone =
        new TransferLearning.GraphBuilder(SmallBackbone.create())
            .removeVertexAndConnections("out")
            .addLayer("predictions", softmax(), "fc")
            .addLayer("loss", new LossLayer.Builder(LossFunction.MCXENT).build(), "predictions")
            .setOutputs("loss")
            .validateOutputLayerConfig(false)
            .build();
    ComputationGraph net = graft(backbone, Head.fullyConnected()).build();
    assertThat(net.getConfiguration().getVertices())
        .containsKey("fc")
        .doesNotContainKeys("predictions", "loss", SpdGraft.POOLING);
    net.fit(images(DataType.FLOAT));
  }

  private static DenseLayer softmax() {
    return new DenseLayer.Builder()
        .nIn(SmallBackbone.FC_WIDTH)
        .nOut(5)
        .activation(Activation.SOFTMAX)
        .build();
  }

  @ParameterizedTest
  @EnumSource(CNN2DFormat.class)
  void itAddsWhatTheBackboneHasNot(CNN2DFormat format) {
    ComputationGraph backbone =
        SmallBackbone.of(DataType.FLOAT).format(format).withoutTop().build();
    SpdGraft graft =
        graft(
            backbone, Head.fullyConnected().with(DenseLayer.Builder.class, dense -> dense.nOut(7)));
    assertThatThrownBy(graft::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("need a backbone that tells the size of its images");
    ComputationGraph net = graft.inputType(InputType.convolutional(8, 8, 2, format)).build();
    assertThat(net.getParam(SpdGraft.FULLY_CONNECTED + "0_W").shape())
        .containsExactly(SmallBackbone.LAST_CHANNELS * 2 * 2, 7);
    assertThat(net.getParam(SpdGraft.FULLY_CONNECTED + "1_W").shape()).containsExactly(7, 7);
    assertThat(net.getParam(SpdGraft.CLASSIFIER + "_W").shape()).containsExactly(7, 3);
    INDArray images = images(DataType.FLOAT).getFeatures();
    INDArray input = format == CNN2DFormat.NHWC ? images.permute(0, 2, 3, 1).dup() : images;
    net.fit(new DataSet(input, images(DataType.FLOAT).getLabels()));
  }
}
