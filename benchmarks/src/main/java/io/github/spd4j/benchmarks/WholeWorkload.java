/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.acceleration.Precision;
import io.github.spd4j.manifold.Retraction;
import java.util.Map;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;

/** The convolutions of VGG-16 and the head on top of them, trained together. */
final class WholeWorkload extends Workload {

  /** Small, so that random images leave the weights finite. */
  private static final double RATE = 1e-5;

  /** Poolings in front of the head halve the side of an image this often. */
  private static final int HALVINGS = 4;

  private final HeadSize head;
  private final ComputationGraph net;
  private final DataSet data;

  WholeWorkload(int batch, int classes, int imageSide, Precision precision) {
    this(new HeadSize(batch, 512, 512, imageSide >> HALVINGS, classes), imageSide, precision);
  }

  private WholeWorkload(HeadSize head, int imageSide, Precision precision) {
    super(
        "whole",
        Vgg16Workload.size(head.batch(), imageSide),
        HeadWorkload.settings(head, RATE),
        // Backward is twice forward.
        Map.of("step", 3 * Vgg16Workload.gflop(head.batch(), imageSide) + head.stepGflop()));
    settings.put("filters", Vgg16Workload.FILTERS);
    settings.put("image_side", imageSide);
    this.head = head;
    Nd4j.getRandom().setSeed(1);
    GraphBuilder graph = HeadWorkload.graph(RATE, imageSide, Vgg16Workload.COLOURS);
    HeadWorkload.add(graph, Vgg16Workload.add(graph), head, RATE, Retraction.preferred());
    net = new ComputationGraph(graph.build());
    net.init();
    Acceleration.applyTo(net, precision);
    data =
        new DataSet(
            Nd4j.randn(DataType.FLOAT, head.batch(), Vgg16Workload.COLOURS, imageSide, imageSide),
            HeadWorkload.labels(head));
  }

  @Override
  Map<String, INDArray> arrays() {
    Map<String, INDArray> arrays = HeadWorkload.arrays(net, data.getLabels());
    arrays.putAll(Vgg16Workload.arrays(net, data.getFeatures()));
    arrays.put(
        "maps",
        Nd4j.zeros(DataType.FLOAT, head.batch(), head.channels(), head.side(), head.side()));
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
