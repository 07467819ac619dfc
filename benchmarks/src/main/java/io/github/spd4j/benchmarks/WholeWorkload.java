/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.updater.StiefelSgd;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;

/** The convolutions of VGG-16 and the head on top of them, trained together. */
final class WholeWorkload implements Workload {

  /** Small, so that random images leave the weights finite. */
  private static final double RATE = 1e-5;

  private static final int COLOURS = 3;

  /** Poolings in front of the head halve the side of an image this often. */
  private static final int HALVINGS = 4;

  private final HeadSize size;
  private final int imageSide;
  private final ComputationGraph net;
  private final DataSet data;

  WholeWorkload(int batch, int classes, int imageSide) {
    this.size = new HeadSize(batch, 512, 512, imageSide >> HALVINGS, classes);
    this.imageSide = imageSide;
    Nd4j.getRandom().setSeed(1);
    GraphBuilder graph =
        new NeuralNetConfiguration.Builder()
            .seed(1)
            .dataType(DataType.FLOAT)
            .updater(new Nesterovs(RATE, HeadWorkload.MOMENTUM))
            .graphBuilder()
            .addInputs("images")
            .setInputTypes(InputType.convolutional(imageSide, imageSide, COLOURS));
    StiefelSgd onManifold =
        StiefelSgd.builder()
            .learningRate(RATE)
            .momentum(HeadWorkload.MOMENTUM)
            .retraction(Retraction.preferred())
            .build();
    HeadWorkload.add(graph, Vgg16Workload.add(graph, "images"), size, onManifold);
    net = new ComputationGraph(graph.build());
    net.init();
    Acceleration.applyTo(net);
    data =
        new DataSet(
            Nd4j.randn(DataType.FLOAT, batch, COLOURS, imageSide, imageSide),
            HeadWorkload.labels(size));
  }

  /** GFLOP of a step: backward is twice forward. */
  double gflop() {
    return 3 * Vgg16Workload.gflop(size.batch, imageSide) + size.stepGflop();
  }

  @Override
  public String kind() {
    return "whole";
  }

  @Override
  public Map<String, Object> settings() {
    Map<String, Object> settings = new LinkedHashMap<>(HeadWorkload.settings(size, RATE));
    settings.put("filters", Vgg16Workload.filters());
    settings.put("image_side", imageSide);
    return settings;
  }

  @Override
  public void save(Path folder) {
    Vgg16Workload.save(net, data.getFeatures(), folder);
    HeadWorkload.save(net, data.getLabels(), folder);
    INDArray none = Nd4j.zeros(DataType.FLOAT, size.batch, size.channels, size.side, size.side);
    RawArrays.write(folder, "maps", none);
  }

  @Override
  public Map<String, INDArray> results() {
    return Map.of("probabilities", net.outputSingle(data.getFeatures()).dup());
  }

  @Override
  public void run(String what) {
    net.fit(data);
  }
}
