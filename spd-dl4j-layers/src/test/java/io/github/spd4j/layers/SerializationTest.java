/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Head;
import io.github.spd4j.testing.Networks;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration.ListBuilder;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Networks with every layer and option go through JSON and zip and come back the same. */
class SerializationTest {

  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);

  static Stream<Head> heads() {
    return LayerCases.heads(Check.JSON);
  }

  private static ComputationGraph net(Head head, DataType type) {
    return Networks.convolutional(
        Networks.general(type, new Nesterovs(0.05, 0.9)).l2(1e-3), head.layers(), IMAGE);
  }

  @ParameterizedTest
  @MethodSource("heads")
  void configurationsSurviveJsonAndClone(Head head) {
    ComputationGraphConfiguration conf = net(head, DataType.FLOAT).getConfiguration();
    assertThat(ComputationGraphConfiguration.fromJson(conf.toJson())).isEqualTo(conf);
    assertThat(ComputationGraphConfiguration.fromYaml(conf.toYaml())).isEqualTo(conf);
    assertThat(conf.clone()).isEqualTo(conf);
  }

  /** After a round trip, training goes on bit for bit as if it had never been interrupted. */
  @ParameterizedTest
  @MethodSource("heads")
  void trainingGoesOnAfterARoundTrip(Head head) throws IOException {
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      ComputationGraph net = net(head, type);
      DataSet data = Networks.images(type, 1, 4, 2, 6, 6);
      train(net, data, 2);
      ComputationGraph restored = ModelSerializer.restoreComputationGraph(zip(net), true);
      assertThat(restored.getConfiguration().toJson()).isEqualTo(net.getConfiguration().toJson());
      INDArray expected = net.outputSingle(data.getFeatures());
      assertThat(restored.outputSingle(data.getFeatures())).isEqualTo(expected);
      train(net, data, 2);
      train(restored, data, 2);
      assertThat(restored.params()).isEqualTo(net.params());
    }
  }

  private static void train(ComputationGraph net, DataSet data, int steps) {
    for (int i = 0; i < steps; i++) {
      net.fit(data);
    }
  }

  private static ByteArrayInputStream zip(org.deeplearning4j.nn.api.Model net) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ModelSerializer.writeModel(net, bytes, true);
    return new ByteArrayInputStream(bytes.toByteArray());
  }

  @Test
  void multiLayerNetworksToo() throws IOException {
    ListBuilder list = Networks.general(DataType.FLOAT, new Nesterovs(0.05, 0.9)).list();
    Networks.head().forEach(list::layer);
    list.layer(
        new OutputLayer.Builder(LossFunction.MCXENT)
            .activation(Activation.SOFTMAX)
            .nOut(Networks.CLASSES)
            .build());
    MultiLayerNetwork net =
        new MultiLayerNetwork(list.setInputType(InputType.convolutional(3, 3, 5)).build());
    net.init();
    MultiLayerConfiguration conf = net.getLayerWiseConfigurations();
    assertThat(MultiLayerConfiguration.fromJson(conf.toJson())).isEqualTo(conf);
    DataSet data = Networks.images(DataType.FLOAT, 1, 4, 5, 3, 3);
    net.fit(data);
    MultiLayerNetwork restored = ModelSerializer.restoreMultiLayerNetwork(zip(net), true);
    net.fit(data);
    restored.fit(data);
    assertThat(restored.params()).isEqualTo(net.params());
  }
}
