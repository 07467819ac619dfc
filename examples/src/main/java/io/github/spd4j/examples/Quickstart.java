/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.textures.Split;
import io.github.spd4j.textures.TextureSet;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Nesterovs;

/** The three layers in a network of Deeplearning4j, trained on textures that a program draws. */
public final class Quickstart {

  private static final int IMAGE = 32;
  private static final int BATCH = 16;

  private Quickstart() {}

  /**
   * Trains for a minute and prints the share of test images that are classified correctly.
   *
   * @param args none
   */
  public static void main(String[] args) {
    System.out.printf("accuracy: %.3f%n", run(100, 10));
  }

  /**
   * Trains and tests.
   *
   * @param imagesPerClass for training, validation and test together
   * @param epochs how often each training image is seen
   * @return the accuracy on the test images
   */
  public static double run(int imagesPerClass, int epochs) {
    TextureSet textures = TextureSet.generate(imagesPerClass, IMAGE, 1);
    ComputationGraph net = network(TextureSet.labels().size());
    net.fit(textures.shuffled(Split.TRAIN, BATCH, 1), epochs);
    return net.evaluate(textures.iterator(Split.TEST, BATCH)).accuracy();
  }

  private static ComputationGraph network(int classes) {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(1)
                .updater(new Nesterovs(0.02, 0.9))
                .activation(Activation.RELU)
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(InputType.convolutional(IMAGE, IMAGE, 3))
                .addLayer("conv", new ConvolutionLayer.Builder(5, 5).nOut(24).build(), "image")
                .addLayer("kernel", new KernelAggregationLayer.Builder().build(), "conv")
                .addLayer("spd", new SpdTransformLayer.Builder().nOut(16).build(), "kernel")
                .addLayer("vector", new SpdVectorizationLayer.Builder().scale(10).build(), "spd")
                .addLayer(
                    "out",
                    new OutputLayer.Builder().nOut(classes).activation(Activation.SOFTMAX).build(),
                    "vector")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }
}
