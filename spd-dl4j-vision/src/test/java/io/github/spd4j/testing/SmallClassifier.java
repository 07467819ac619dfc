/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** A small network with random weights, whose answers differ from picture to picture. */
public final class SmallClassifier {

  /** The vertex that the head follows. */
  public static final String CUT = "maps";

  public static final int CLASSES = 3;

  private SmallClassifier() {}

  /**
   * The same network as one that does not tell where its backbone ends.
   *
   * @param net a network by {@link #net}
   */
  public static ComputationGraph unmarked(ComputationGraph net) {
    String json = net.getConfiguration().toJson().replace(Backbone.MAPS, "something");
    ComputationGraph other = new ComputationGraph(ComputationGraphConfiguration.fromJson(json));
    other.init(net.params().dup(), true);
    return other;
  }

  /**
   * A convolution and a head.
   *
   * @param size height and width of its images
   * @param maps the convolution
   * @param weight how large the weights of the classifier are
   */
  public static ComputationGraph net(int size, ConvolutionLayer maps, double weight) {
    ComputationGraph backbone =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(2)
                .dataType(DataType.FLOAT)
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(InputType.convolutional(size, size, 3))
                .addLayer(CUT, maps, "image")
                .setOutputs(CUT)
                .build());
    backbone.init();
    ComputationGraph net =
        SpdGraft.onto(Backbone.of(backbone, CUT)).head(Head.spd()).classes(CLASSES).seed(5).build();
    INDArray weights = net.getParam(SpdGraft.CLASSIFIER + "_W"); // they begin at zero
    Nd4j.getRandom().setSeed(6);
    weights.assign(Nd4j.randn(DataType.FLOAT, weights.shape()).muli(weight));
    return net;
  }
}
