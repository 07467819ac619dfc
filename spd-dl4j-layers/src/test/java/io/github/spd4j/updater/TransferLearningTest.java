/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.onManifold;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Networks;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayer;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayerWithBackprop;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** The layers under transfer learning, and frozen. */
class TransferLearningTest {

  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);

  private static DataSet data() {
    return Networks.images(DataType.FLOAT, 1, 6, 2, 6, 6);
  }

  private static ComputationGraph headed(IUpdater global) {
    return Networks.convolutional(Networks.general(DataType.FLOAT, global), Networks.head(), IMAGE);
  }

  private static void train(ComputationGraph net) {
    for (int i = 0; i < 10; i++) {
      net.fit(data());
    }
  }

  static Stream<FineTuneConfiguration> fineTuning() {
    return Stream.of(
        new FineTuneConfiguration.Builder().updater(new Adam(1e-3)).build(),
        new FineTuneConfiguration.Builder().updater(new Sgd(0.5)).l2(0.5).build(),
        new FineTuneConfiguration.Builder().updater(new Nesterovs(0.1)).weightDecay(0.5).build(),
        new FineTuneConfiguration.Builder().dropOut(0.5).seed(7).build());
  }

  /** Whatever the fine-tuning, W has an updater of the manifold and stays there. */
  @ParameterizedTest
  @MethodSource("fineTuning")
  void fineTuningKeepsTheManifold(FineTuneConfiguration fineTune) {
    ComputationGraph net = headed(new Nesterovs(0.1, 0.9));
    train(net);
    ComputationGraph tuned =
        new TransferLearning.GraphBuilder(net).fineTuneConfiguration(fineTune).build();
    assertThat(tuned.getParam("layer1_W")).isEqualTo(net.getParam("layer1_W"));
    INDArray before = tuned.getParam("layer1_W").dup();
    train(tuned);
    IUpdater expected =
        fineTune.getUpdater() == null
            ? new StiefelSgd(0.1, 0.9)
            : StiefelUpdaters.counterpartOf(fineTune.getUpdater());
    assertThat(tuned.getLayer("layer1").conf().getLayer().getUpdaterByParam("W"))
        .isEqualTo(expected);
    assertThat(tuned.getParam("layer1_W")).isNotEqualTo(before);
    assertSmall(
        Stiefel.distanceFromManifold(tuned.getParam("layer1_W")), onManifold(DataType.FLOAT));
  }

  /** The head put on another network, with sizes given by hand as transfer learning wants them. */
  @Test
  void theHeadCanBeAddedToAnotherNetwork() {
    ComputationGraph plain =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Adam(1e-3)),
            List.of(new GlobalPoolingLayer()),
            IMAGE);
    INDArray conv = plain.getParam("conv_W").dup();
    ComputationGraph net =
        new TransferLearning.GraphBuilder(plain)
            .fineTuneConfiguration(
                new FineTuneConfiguration.Builder()
                    .seed(3)
                    .updater(new Nesterovs(0.05, 0.9))
                    .build())
            .setFeatureExtractor("conv")
            .removeVertexAndConnections("layer0")
            .removeVertexAndConnections("out")
            .addLayer("kernel", new KernelAggregationLayer.Builder().build(), "conv")
            .addLayer("spd", new SpdTransformLayer.Builder().nIn(5).nOut(3).build(), "kernel")
            .addLayer("vector", new SpdVectorizationLayer.Builder().build(), "spd")
            .addLayer(
                "out",
                new OutputLayer.Builder(LossFunction.MCXENT)
                    .activation(Activation.SOFTMAX)
                    .nIn(6)
                    .nOut(Networks.CLASSES)
                    .build(),
                "vector")
            .setOutputs("out")
            .build();
    double before = net.score(data());
    train(net);
    assertThat(net.score(data())).isLessThan(before);
    assertThat(net.getParam("conv_W")).isEqualTo(conv);
    assertThat(net.getLayer("spd").conf().getLayer().getUpdaterByParam("W"))
        .isEqualTo(new StiefelSgd(0.05, 0.9));
    assertSmall(Stiefel.distanceFromManifold(net.getParam("spd_W")), onManifold(DataType.FLOAT));
  }

  @Test
  void aFrozenWDoesNotMove() {
    ComputationGraph net = headed(new Sgd(0.1));
    ComputationGraph frozen =
        new TransferLearning.GraphBuilder(net).setFeatureExtractor("layer1").build();
    INDArray w = frozen.getParam("layer1_W").dup();
    INDArray out = frozen.getParam("out_W").dup();
    train(frozen);
    assertThat(frozen.getParam("layer1_W")).isEqualTo(w);
    assertThat(frozen.getParam("out_W")).isNotEqualTo(out);
  }

  /** DL4J's FrozenLayer passes no gradient on, so what comes before it is frozen too. */
  @Test
  void aTransformInsideAFrozenLayerDoesNotMove() {
    ComputationGraph net =
        Networks.plain(
            Networks.general(DataType.FLOAT, new Sgd(0.1)),
            List.of(
                new FrozenLayer(new KernelAggregationLayer.Builder().build()),
                new FrozenLayer(new SpdTransformLayer.Builder().nOut(3).build()),
                new SpdVectorizationLayer.Builder().build()),
            InputType.convolutional(6, 6, 4));
    INDArray w = net.getParam("layer1_W").dup();
    INDArray out = net.getParam("out_W").dup();
    DataSet data = Networks.images(DataType.FLOAT, 1, 6, 4, 6, 6);
    net.fit(data);
    net.fit(data);
    assertThat(net.getParam("layer1_W")).isEqualTo(w);
    assertThat(net.getParam("out_W")).isNotEqualTo(out);
  }

  @Test
  void aTransformInsideAFrozenLayerWithBackpropPassesGradientsOnAndDoesNotMove() {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Sgd(0.1)),
            List.of(
                new KernelAggregationLayer.Builder().build(),
                new FrozenLayerWithBackprop(new SpdTransformLayer.Builder().nOut(3).build()),
                new SpdVectorizationLayer.Builder().build()),
            IMAGE);
    INDArray w = net.getParam("layer1_W").dup();
    INDArray conv = net.getParam("conv_W").dup();
    train(net);
    assertThat(net.getParam("layer1_W")).isEqualTo(w);
    assertThat(net.getParam("conv_W")).isNotEqualTo(conv);
  }
}
