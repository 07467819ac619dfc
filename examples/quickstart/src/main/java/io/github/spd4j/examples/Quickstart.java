/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.adapter.SingletonDataSetIterator;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;

/** The three layers in a network that tells the directions of gratings apart. */
public final class Quickstart {

  private static final int SIZE = 24;
  private static final int DIRECTIONS = 4;
  private static final int PER_DIRECTION = 32;
  private static final int BATCH = 16;

  private Quickstart() {}

  /**
   * Trains for seconds and prints the share of new images that are classified correctly.
   *
   * @param args none
   */
  public static void main(String[] args) {
    System.out.printf("accuracy: %.3f%n", run(8));
  }

  /**
   * Trains and tests.
   *
   * @param epochs how often each training image is seen
   * @return the accuracy on images that were not trained on
   */
  public static double run(int epochs) {
    ComputationGraph net = network();
    List<DataSet> batches = gratings(new Random(1)).batchBy(BATCH);
    for (int epoch = 0; epoch < epochs; epoch++) {
      batches.forEach(net::fit);
    }
    return net.evaluate(new SingletonDataSetIterator(gratings(new Random(2)))).accuracy();
  }

  private static ComputationGraph network() {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(1)
                .updater(new Nesterovs(0.02, 0.9))
                .activation(Activation.RELU)
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(InputType.convolutional(SIZE, SIZE, 1))
                .addLayer("conv", new ConvolutionLayer.Builder(5, 5).nOut(24).build(), "image")
                .addLayer("kernel", new KernelAggregationLayer.Builder().build(), "conv")
                .addLayer("spd", new SpdTransformLayer.Builder().nOut(16).build(), "kernel")
                .addLayer("vector", new SpdVectorizationLayer.Builder().scale(10).build(), "spd")
                .addLayer(
                    "out",
                    new OutputLayer.Builder()
                        .nOut(DIRECTIONS)
                        .activation(Activation.SOFTMAX)
                        .build(),
                    "vector")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  /** Gratings of any phase and period, in noise, in an order that is random. */
  private static DataSet gratings(Random random) {
    List<DataSet> images = new ArrayList<>();
    for (int i = 0; i < DIRECTIONS * PER_DIRECTION; i++) {
      int direction = i % DIRECTIONS;
      INDArray label = Nd4j.zeros(1, DIRECTIONS).putScalar(0, direction, 1);
      images.add(new DataSet(grating(Math.PI * direction / DIRECTIONS, random), label));
    }
    DataSet all = DataSet.merge(images);
    all.shuffle(random.nextLong());
    return all;
  }

  private static INDArray grating(double angle, Random random) {
    double period = 4 + 4 * random.nextDouble();
    double phase = 2 * Math.PI * random.nextDouble();
    float[][][][] image = new float[1][1][SIZE][SIZE];
    for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
        double along = x * Math.cos(angle) + y * Math.sin(angle);
        double wave = Math.sin(2 * Math.PI * along / period + phase);
        image[0][0][y][x] = (float) (wave + 0.3 * random.nextGaussian());
      }
    }
    return Nd4j.create(image);
  }
}
