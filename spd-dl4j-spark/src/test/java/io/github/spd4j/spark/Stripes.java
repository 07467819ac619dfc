/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.layers.StiefelInit;
import io.github.spd4j.train.images.LabelledImages;
import java.io.Serializable;
import java.util.Random;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Noisy stripes in three directions, made where they are asked for, and a network for them. */
public final class Stripes implements LabelledImages, Serializable {

  private static final long serialVersionUID = 1L;

  static final String CUT = "conv";
  static final String W = "spd_W";

  private static final int SIZE = 8;
  private static final int CLASSES = 3;

  private final long seed;
  private final int size;

  /**
   * Some images.
   *
   * @param seed of their noise
   * @param size how many
   */
  public Stripes(long seed, int size) {
    this.seed = seed;
    this.size = size;
  }

  static ComputationGraph net() {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(7)
                .updater(new Nesterovs(0.01, 0.9))
                .activation(Activation.TANH)
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(InputType.convolutional(SIZE, SIZE, 2))
                .addLayer(CUT, new ConvolutionLayer.Builder(3, 3).nOut(6).build(), "image")
                .addLayer("kernel", new KernelAggregationLayer.Builder().build(), CUT)
                .addLayer(
                    "spd",
                    new SpdTransformLayer.Builder().nOut(4).init(StiefelInit.IDENTITY).build(),
                    "kernel")
                .addLayer("vector", new SpdVectorizationLayer.Builder().scale(5).build(), "spd")
                .addLayer(
                    "out",
                    new OutputLayer.Builder(LossFunction.MCXENT)
                        .activation(Activation.SOFTMAX)
                        .nOut(CLASSES)
                        .build(),
                    "vector")
                .setOutputs("out")
                .build());
    net.init();
    return Backbone.of(net, CUT).marked();
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int classes() {
    return CLASSES;
  }

  @Override
  public String name(int index) {
    return "stripes " + seed + "/" + index;
  }

  @Override
  public int label(int index) {
    return index % CLASSES;
  }

  @Override
  public INDArray image(int index) {
    Random random = new Random(1000 * seed + index);
    INDArray image = Nd4j.zeros(DataType.FLOAT, 1, 2, SIZE, SIZE);
    for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
        int phase = label(index) == 0 ? y : label(index) == 1 ? x : x + y;
        for (int c = 0; c < 2; c++) {
          image.putScalar(new int[] {0, c, y, x}, phase % 2 + 0.3 * random.nextGaussian());
        }
      }
    }
    return image;
  }
}
