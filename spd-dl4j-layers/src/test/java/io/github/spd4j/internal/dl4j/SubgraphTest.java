/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.dl4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.testing.Networks;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayer;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayerWithBackprop;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;

class SubgraphTest {

  /** With the channels last, a merge has an axis that DL4J's own copy of it forgets. */
  private static ComputationGraph network() {
    ComputationGraph net =
        new ComputationGraph(
            Networks.general(DataType.FLOAT, new Sgd(0.1))
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(InputType.convolutional(5, 5, 2, CNN2DFormat.NHWC))
                .addLayer("left", new FrozenLayer(convolution(3)), "in")
                .addLayer("right", new FrozenLayerWithBackprop(convolution(4)), "in")
                .addVertex("merge", new MergeVertex(), "left", "right")
                .addLayer(
                    "pool",
                    new GlobalPoolingLayer.Builder(PoolingType.AVG).poolingDimensions(1, 2).build(),
                    "merge")
                .addLayer(
                    "out",
                    new OutputLayer.Builder().nIn(7).nOut(3).activation(Activation.SOFTMAX).build(),
                    "pool")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  private static Layer convolution(int filters) {
    return new ConvolutionLayer.Builder(1, 1).nOut(filters).dataFormat(CNN2DFormat.NHWC).build();
  }

  @Test
  void theTwoPartsComputeWhatTheWholeComputes() {
    ComputationGraph net = network();
    INDArray images = Nd4j.rand(DataType.FLOAT, 2, 5, 5, 2);
    INDArray maps = Subgraph.upTo(net, "merge").outputSingle(images);
    assertThat(maps.shape()).containsExactly(2, 5, 5, 7);
    assertThat(Subgraph.after(net, "merge").outputSingle(maps)).isEqualTo(net.outputSingle(images));
  }

  @Test
  void aPartHasItsOwnParametersUntilTheyAreBroughtBack() {
    ComputationGraph net = network();
    ComputationGraph end = Subgraph.after(net, "merge");
    end.getParam("out_W").assign(7);
    assertThat(net.getParam("out_W").maxNumber().doubleValue()).isLessThan(7);
    Subgraph.copyBack(end, net);
    assertThat(net.getParam("out_W").minNumber().doubleValue()).isEqualTo(7);
  }

  @Test
  void aViewKnowsWhatLeadsWhereAndTheLayersInsideWrappers() {
    ComputationGraph net = network();
    GraphView view = new GraphView(net);
    assertThat(view.upTo("merge")).containsExactlyInAnyOrder("merge", "left", "right", "in");
    assertThat(view.after("right")).containsExactly("merge", "pool", "out");
    assertThat(view.layer("left")).isInstanceOf(ConvolutionLayer.class);
    assertThat(view.layer("right")).isInstanceOf(ConvolutionLayer.class);
    assertThat(view.layer("merge")).isNull();
    assertThat(WrappedLayers.isFrozen(net.getLayer("left"))).isTrue();
    assertThat(WrappedLayers.isFrozen(net.getLayer("right"))).isTrue();
    assertThat(WrappedLayers.unwrapped(net.getLayer("right")))
        .isInstanceOf(org.deeplearning4j.nn.layers.convolution.ConvolutionLayer.class);
  }
}
