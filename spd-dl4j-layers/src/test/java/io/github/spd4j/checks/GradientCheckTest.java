/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.testing.Networks;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.activations.BaseActivationFunction;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.Sgd;

class GradientCheckTest {

  private static final InputType IMAGES = InputType.convolutional(6, 6, 2);

  /** A head whose gradients are whole derivatives. */
  private static List<org.deeplearning4j.nn.conf.layers.Layer> head(Bandwidth bandwidth) {
    return List.of(
        new KernelAggregationLayer.Builder().kernel(new RbfKernel(bandwidth)).build(),
        new SpdTransformLayer.Builder().nOut(3).build(),
        new SpdVectorizationLayer.Builder().build());
  }

  private static ComputationGraph net(Bandwidth bandwidth) {
    return Networks.convolutional(
        Networks.general(DataType.FLOAT, new Adam(0.1)).l2(0.1), head(bandwidth), IMAGES);
  }

  private static DataSet images(int count) {
    return Networks.images(DataType.FLOAT, 1, count, 2, 6, 6);
  }

  private static ParameterCheck of(GradientCheck check, String name) {
    return check.parameters().stream()
        .filter(parameter -> parameter.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** FLOAT, with an updater, and with a penalty: as a user has it. */
  @Test
  void aNetworkInUseIsRight() {
    ComputationGraph net = net(Bandwidth.meanDistance().differentiated());
    net.fit(images(4));
    INDArray before = net.params().dup();
    String json = net.getConfiguration().toJson();
    GradientCheck check = GradientCheck.of(net, images(4));
    assertThat(check.passes()).as(check.toString()).isTrue();
    assertThat(check.parameters())
        .extracting(ParameterCheck::name)
        .containsExactlyInAnyOrder("conv_W", "conv_b", "layer1_W", "out_W", "out_b");
    assertThat(check.parameters()).allMatch(parameter -> parameter.reason().isEmpty());
    assertThat(check.parameters()).allMatch(parameter -> parameter.gradient() != 0);
    assertThat(check.toString()).startsWith("The gradients are right, checked in DOUBLE\n");
    assertThat(net.params()).isEqualTo(before);
    assertThat(net.getConfiguration().toJson()).isEqualTo(json);
  }

  @Tag("once")
  @Test
  void aConstantBandwidthIsExplained() {
    for (Bandwidth bandwidth :
        List.of(Bandwidth.meanDistance(), Bandwidth.meanDistance().times(2).learnt())) {
      GradientCheck check = GradientCheck.of(net(bandwidth), images(4));
      ParameterCheck conv = of(check, "conv_W");
      assertThat(conv.difference()).isGreaterThan(ParameterCheck.TOLERANCE);
      assertThat(conv.isWrong()).isFalse();
      assertThat(conv.reason())
          .startsWith("as intended: the bandwidth of [layer0] is a constant in the backward pass");
      assertThat(of(check, "layer1_W").reason()).isEmpty();
      assertThat(of(check, "layer1_W").difference()).isLessThan(ParameterCheck.TOLERANCE);
      assertThat(check.passes()).as(check.toString()).isTrue();
      assertThat(check.toString()).contains("as intended: the bandwidth of [layer0]");
    }
  }

  @Test
  void networksOfLayersWithDropoutBatchNormalisationAndKinks() {
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            Networks.general(DataType.FLOAT, new Sgd(0.1))
                .list(
                    new ConvolutionLayer.Builder(3, 3).nOut(6).activation(Activation.RELU).build(),
                    new BatchNormalization.Builder().build(),
                    new SubsamplingLayer.Builder(2, 2).stride(2, 2).build(),
                    new KernelAggregationLayer.Builder()
                        .kernel(new LaplacianKernel(Bandwidth.meanDistance()))
                        .build(),
                    new SpdVectorizationLayer.Builder().build(),
                    new DenseLayer.Builder().nOut(5).dropOut(0.5).name("dense").build(),
                    new OutputLayer.Builder()
                        .nOut(Networks.CLASSES)
                        .activation(Activation.SOFTMAX)
                        .build())
                .setInputType(IMAGES)
                .build());
    net.init();
    GradientCheck check = GradientCheck.of(net, images(5));
    assertThat(check.passes()).as(check.toString()).isTrue();
    assertThat(check.toString()).contains("without the dropout of [dense]");
    assertThat(of(check, "1_mean").reason()).contains("not learnt: a running mean");
    assertThat(of(check, "1_gamma").reason()).contains("as intended");
    assertThat(of(check, "5_W").difference()).isLessThan(ParameterCheck.TOLERANCE);
  }

  @Tag("once")
  @Test
  void frozenLayersAreLeftOut() {
    ComputationGraph net =
        new TransferLearning.GraphBuilder(net(Bandwidth.meanDistance()))
            .setFeatureExtractor("conv")
            .build();
    GradientCheck check = GradientCheck.of(net, images(4));
    assertThat(check.passes()).as(check.toString()).isTrue();
    assertThat(of(check, "conv_W")).hasToString("conv_W: not learnt: the layer is frozen");
  }

  @Tag("once")
  @Test
  void channelsLast() {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Sgd(0.1)),
            head(Bandwidth.fixed(2)),
            InputType.convolutional(6, 6, 2, CNN2DFormat.NHWC));
    DataSet data = Networks.images(DataType.FLOAT, 1, 4, 6, 6, 2);
    GradientCheck check = GradientCheck.of(net, data);
    assertThat(check.passes()).as(check.toString()).isTrue();
  }

  /** An activation function with a mistake in its derivative. */
  public static final class Mistaken extends BaseActivationFunction {
    private static final long serialVersionUID = 1L;

    @Override
    public INDArray getActivation(INDArray in, boolean training) {
      return in.muli(2);
    }

    @Override
    public Pair<INDArray, INDArray> backprop(INDArray in, INDArray epsilon) {
      return new Pair<>(epsilon.mul(2.01), null);
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Mistaken;
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }

  @Tag("once")
  @Test
  void aMistakeIsFoundWhereItIs() {
    NeuralNetConfiguration.Builder general = Networks.general(DataType.DOUBLE, new Sgd(0.1));
    ComputationGraph net =
        new ComputationGraph(
            general
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(InputType.feedForward(4))
                .addLayer("before", new DenseLayer.Builder().nOut(5).build(), "in")
                .addLayer(
                    "mistaken",
                    new ActivationLayer.Builder().activation(new Mistaken()).build(),
                    "before")
                .addLayer("after", new DenseLayer.Builder().nOut(4).build(), "mistaken")
                .addLayer(
                    "out",
                    new OutputLayer.Builder()
                        .nOut(Networks.CLASSES)
                        .activation(Activation.SOFTMAX)
                        .build(),
                    "after")
                .setOutputs("out")
                .build());
    net.init();
    GradientCheck check = GradientCheck.of(net, Networks.images(DataType.DOUBLE, 1, 4, 4));
    assertThat(check.passes()).isFalse();
    assertThat(check.parameters())
        .filteredOn(ParameterCheck::isWrong)
        .extracting(ParameterCheck::name)
        .containsExactlyInAnyOrder("before_W", "before_b");
    ParameterCheck wrong = of(check, "before_W");
    assertThat(wrong.difference()).isBetween(0.004, 0.006);
    assertThat(wrong.gradient() / wrong.expected()).isBetween(1.004, 1.006);
    assertThat(check.toString())
        .startsWith("The gradients of 2 of 6 parameters are wrong, checked in DOUBLE\n")
        .containsPattern("before_W: gradient \\S+, by differences \\S+, apart by 5.0e-03 at \\[");
  }

  @Test
  void refusesToLookAtNothing() {
    assertThatThrownBy(
            () -> GradientCheck.of(net(Bandwidth.meanDistance()), images(2).toMultiDataSet(), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected at least 1 entry to check, got 0");
  }

  @Test
  void refusesWhatCannotBeChecked() {
    ComputationGraph net = net(Bandwidth.meanDistance());
    MultiLayerNetwork layers =
        Networks.layers(
            Networks.general(DataType.FLOAT, new Sgd(0.1)), head(Bandwidth.meanDistance()), IMAGES);
    DataSet unlabelled = new DataSet(images(2).getFeatures(), null);
    for (ThrowingCallable check :
        List.<ThrowingCallable>of(
            () -> GradientCheck.of(net, unlabelled), () -> GradientCheck.of(layers, unlabelled))) {
      assertThatThrownBy(check)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("data: expected examples with labels, got no labels");
    }
    ComputationGraph raw = new ComputationGraph(net.getConfiguration());
    MultiLayerNetwork rawLayers = new MultiLayerNetwork(layers.getLayerWiseConfigurations());
    for (ThrowingCallable check :
        List.<ThrowingCallable>of(
            () -> GradientCheck.of(raw, images(2)), () -> GradientCheck.of(rawLayers, images(2)))) {
      assertThatThrownBy(check)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("net: expected an initialised network, got one without init()");
    }
    assertThatThrownBy(() -> GradientCheck.of(net, null)).hasMessage("data");
    assertThatThrownBy(() -> GradientCheck.of((ComputationGraph) null, images(2)))
        .hasMessage("net");
    assertThatThrownBy(() -> GradientCheck.of((MultiLayerNetwork) null, images(2)))
        .hasMessage("net");
  }
}
