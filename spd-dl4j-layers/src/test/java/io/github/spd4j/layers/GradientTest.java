/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Head;
import io.github.spd4j.testing.GradientChecks;
import io.github.spd4j.testing.Mixtures;
import io.github.spd4j.testing.Networks;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration.ListBuilder;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Every layer with every option against DL4J's gradient check. */
class GradientTest {

  private static final InputType IMAGE = InputType.convolutional(6, 6, 1);

  private static DataSet images() {
    return Networks.images(DataType.DOUBLE, 1, 3, 1, 6, 6);
  }

  private static List<Layer> ofFixedWidth() {
    return List.of(
        new KernelAggregationLayer.Builder().kernel(new RbfKernel(Bandwidth.fixed(2))).build(),
        new SpdTransformLayer.Builder().nOut(4).build(),
        new SpdTransformLayer.Builder().nOut(3).build(),
        new SpdVectorizationLayer.Builder().build());
  }

  static Stream<Head> heads() {
    return LayerCases.heads(Check.GRADIENT);
  }

  /** All but the weights of the output layer, which is DL4J's; the other tests check these too. */
  @ParameterizedTest
  @MethodSource("heads")
  void behindAConvolution(Head head) {
    ComputationGraph net = Networks.forGradientCheck(head.layers(), IMAGE);
    head.start(net);
    Set<String> unchecked = new HashSet<>(Mixtures.parametersOf(net));
    unchecked.add("out_W");
    GradientChecks.check(net, images(), unchecked);
  }

  @Test
  void channelsLast() {
    InputType image = InputType.convolutional(6, 6, 1, CNN2DFormat.NHWC);
    ComputationGraph net = Networks.forGradientCheck(ofFixedWidth(), image);
    GradientChecks.check(net, Networks.images(DataType.DOUBLE, 1, 3, 6, 6, 1));
  }

  @Test
  void inAMultiLayerNetwork() {
    ListBuilder list = Networks.general(DataType.DOUBLE, new NoOp()).list();
    ofFixedWidth().forEach(list::layer);
    list.layer(
        new OutputLayer.Builder(LossFunction.MCXENT)
            .activation(Activation.SOFTMAX)
            .nOut(Networks.CLASSES)
            .build());
    list.setInputType(InputType.convolutional(3, 3, 5));
    MultiLayerNetwork net = new MultiLayerNetwork(list.build());
    net.init();
    GradientChecks.check(net, Networks.images(DataType.DOUBLE, 2, 4, 5, 3, 3));
  }
}
