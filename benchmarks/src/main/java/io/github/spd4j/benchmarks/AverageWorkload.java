/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.acceleration.Precision;
import java.util.Map;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** The convolutions of VGG-16, the means of their maps, and a classifier: all but no head. */
final class AverageWorkload extends Workload {

  /** Small, so that random images leave the weights finite. */
  private static final double RATE = 1e-5;

  private final ComputationGraph net;
  private final DataSet data;

  AverageWorkload(int batch, int classes, int imageSide, Precision precision) {
    super(
        "average",
        Vgg16Workload.size(batch, imageSide),
        Map.of(
            "batch", batch,
            "classes", classes,
            "image_side", imageSide,
            "filters", Vgg16Workload.FILTERS,
            "rate", RATE,
            "momentum", HeadWorkload.MOMENTUM),
        Map.of("step", 3 * Vgg16Workload.gflop(batch, imageSide)));
    Nd4j.getRandom().setSeed(1);
    GraphBuilder graph = HeadWorkload.graph(RATE, imageSide, Vgg16Workload.COLOURS);
    graph
        .addLayer("means", new GlobalPoolingLayer(PoolingType.AVG), Vgg16Workload.add(graph))
        .addLayer(
            "classifier",
            new OutputLayer.Builder(LossFunction.MCXENT)
                .nOut(classes)
                .activation(Activation.SOFTMAX)
                .build(),
            "means")
        .setOutputs("classifier");
    net = new ComputationGraph(graph.build());
    net.init();
    Acceleration.applyTo(net, precision);
    data =
        new DataSet(
            Nd4j.randn(DataType.FLOAT, batch, Vgg16Workload.COLOURS, imageSide, imageSide),
            HeadWorkload.labels(batch, classes));
  }

  @Override
  Map<String, INDArray> arrays() {
    Map<String, INDArray> arrays = Vgg16Workload.arrays(net, data.getFeatures());
    arrays.putAll(HeadWorkload.classifier(net, data.getLabels()));
    return arrays;
  }

  @Override
  Map<String, INDArray> results() {
    return Map.of("probabilities", net.outputSingle(data.getFeatures()).dup());
  }

  @Override
  void run(String what) {
    net.fit(data);
  }
}
