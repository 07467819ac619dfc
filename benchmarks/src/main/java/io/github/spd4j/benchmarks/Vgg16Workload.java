/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.acceleration.Precision;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The convolutions of VGG-16 up to conv5-3, accelerated, with random weights. */
final class Vgg16Workload extends Workload {

  private static final int POOLING = 0;
  static final int COLOURS = 3;

  /** The filters of each convolution, 0 for a pooling. */
  static final List<Integer> FILTERS =
      List.of(64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512);

  private final ComputationGraph net;
  private final INDArray images;

  /** What DL4J's convolutions run on. */
  final Acceleration acceleration;

  Vgg16Workload(int batch, int side, Precision precision) {
    super(
        "convolutions",
        size(batch, side),
        Map.of("batch", batch, "side", side, "filters", FILTERS),
        Map.of("forward", gflop(batch, side)));
    GraphBuilder graph = HeadWorkload.graph(1, side, COLOURS);
    net = new ComputationGraph(graph.setOutputs(add(graph)).build());
    net.init();
    acceleration = Acceleration.applyTo(net, precision);
    Nd4j.getRandom().setSeed(1);
    images = Nd4j.randn(DataType.FLOAT, batch, COLOURS, side, side);
  }

  /** Adds the layers to a graph, and returns the name of the last. */
  static String add(GraphBuilder graph) {
    String previous = HeadWorkload.INPUT;
    for (int i = 0; i < FILTERS.size(); i++) {
      graph.addLayer(name(i), layer(FILTERS.get(i)), previous);
      previous = name(i);
    }
    return previous;
  }

  private static String name(int i) {
    return "layer" + i;
  }

  private static Layer layer(int filters) {
    if (filters == POOLING) {
      return new SubsamplingLayer.Builder(PoolingType.MAX).kernelSize(2, 2).stride(2, 2).build();
    }
    return new ConvolutionLayer.Builder(3, 3)
        .padding(1, 1)
        .nOut(filters)
        .activation(Activation.RELU)
        .weightInit(WeightInit.RELU)
        .build();
  }

  static double gflop(int batch, int side) {
    double sum = 0;
    double pixels = (double) side * side;
    int before = COLOURS;
    for (int filters : FILTERS) {
      if (filters == POOLING) {
        pixels /= 4;
      } else {
        sum += 2.0 * batch * pixels * before * filters * 9;
        before = filters;
      }
    }
    return sum / 1e9;
  }

  @Override
  Map<String, INDArray> arrays() {
    return arrays(net, images);
  }

  /** Images and the parameters of the convolutions. */
  static Map<String, INDArray> arrays(ComputationGraph net, INDArray images) {
    Map<String, INDArray> arrays = new HashMap<>();
    arrays.put("input", images);
    for (int i = 0; i < FILTERS.size(); i++) {
      if (FILTERS.get(i) != POOLING) {
        arrays.put("weight" + i, net.getParam(name(i) + "_W"));
        arrays.put("bias" + i, net.getParam(name(i) + "_b"));
      }
    }
    return arrays;
  }

  @Override
  Map<String, INDArray> results() {
    return Map.of("maps", net.outputSingle(images).dup());
  }

  @Override
  void run(String what) {
    net.outputSingle(images);
  }

  static String size(int images, int side) {
    return images + " images of " + side + "²";
  }
}
