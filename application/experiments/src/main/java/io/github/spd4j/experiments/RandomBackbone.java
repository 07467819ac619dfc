/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.images.PixelFormat;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;

/** Two convolutions with random weights, so that tests need no files and no time. */
final class RandomBackbone {

  private static final String CUT = "conv2";
  static final int SIZE = 32;

  private static final int MAPS = 12;

  /** Values of pixels reach 255; weights are made for about 1. */
  private static final double PIXEL_SCALE = 1.0 / 64;

  private RandomBackbone() {}

  static Backbone build() {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(1)
                .weightInit(WeightInit.RELU)
                .activation(Activation.RELU)
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(InputType.convolutional(SIZE, SIZE, 3))
                .addLayer("conv1", convolution(), "image")
                .addLayer(
                    "pool1",
                    new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
                        .kernelSize(2, 2)
                        .stride(2, 2)
                        .build(),
                    "conv1")
                .addLayer(CUT, convolution(), "pool1")
                .setOutputs(CUT)
                .build());
    net.init();
    net.getParam("conv1_W").muli(PIXEL_SCALE);
    return new Backbone("random", net, CUT, PixelFormat.CAFFE, SIZE);
  }

  private static ConvolutionLayer convolution() {
    return new ConvolutionLayer.Builder(3, 3).nOut(MAPS).build();
  }
}
