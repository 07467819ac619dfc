/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.api.NeuralNetwork;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration.ListBuilder;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.Sgd;

/** The same layers as either kind of network, made as users of DL4J make them. */
enum UserNetworks {
  LIST {
    @Override
    Net make(DataType type, InputType input, List<Layer> layers) {
      ListBuilder builder = general(type).list();
      layers.forEach(builder::layer);
      if (input != null) {
        builder.setInputType(input);
      }
      MultiLayerNetwork net = new MultiLayerNetwork(builder.build());
      net.init();
      return of(net);
    }
  },
  GRAPH {
    @Override
    Net make(DataType type, InputType input, List<Layer> layers) {
      GraphBuilder builder = general(type).graphBuilder().addInputs("in");
      if (input != null) {
        builder.setInputTypes(input);
      }
      String last = "in";
      for (int i = 0; i < layers.size(); i++) {
        String name = "layer" + i;
        builder.addLayer(name, layers.get(i), last);
        last = name;
      }
      ComputationGraph net = new ComputationGraph(builder.setOutputs(last).build());
      net.init();
      return of(net);
    }
  };

  /** What users do with a network. */
  static final class Net {
    private final Model net;
    private final UnaryOperator<INDArray> output;
    private final Function<String, org.deeplearning4j.nn.api.Layer> layer;
    private final Supplier<String> summary;

    private Net(
        Model net,
        UnaryOperator<INDArray> output,
        Function<String, org.deeplearning4j.nn.api.Layer> layer,
        Supplier<String> summary) {
      this.net = net;
      this.output = output;
      this.layer = layer;
      this.summary = summary;
    }

    INDArray output(INDArray images) {
      return output.apply(images);
    }

    void fit(DataSet data) {
      ((NeuralNetwork) net).fit(data);
    }

    INDArray params() {
      return net.params();
    }

    org.deeplearning4j.nn.api.Layer layer(String name) {
      return layer.apply(name);
    }

    String summary() {
      return summary.get();
    }
  }

  abstract Net make(DataType type, InputType input, List<Layer> layers);

  /** The layers, and a classifier of two classes behind them; layers are cloned. */
  Net of(DataType type, InputType input, Layer... layers) {
    List<Layer> all = List.of(layers).stream().map(Layer::clone).collect(Collectors.toList());
    all.add(classifier().build());
    return make(type, input, all);
  }

  static OutputLayer.Builder classifier() {
    return new OutputLayer.Builder().nOut(2).activation(Activation.SOFTMAX);
  }

  static NeuralNetConfiguration.Builder general(DataType type) {
    return new NeuralNetConfiguration.Builder().seed(3).dataType(type).updater(new Sgd(0.1));
  }

  static Net of(MultiLayerNetwork net) {
    return new Net(net, net::output, net::getLayer, net::summary);
  }

  static Net of(ComputationGraph net) {
    return new Net(net, net::outputSingle, net::getLayer, net::summary);
  }
}
