/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.experiments.HeadSettings;
import io.github.spd4j.experiments.Method;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.train.FisherVectors;
import io.github.spd4j.train.images.InMemoryImages;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.Nesterovs;

/**
 * The head of a method, to be timed.
 *
 * @param variant how its size differs from the usual one, or empty
 */
record CostedHead(Method method, String variant, HeadSettings settings) {

  private static final long SEED = 1;
  private static final double RATE = 1e-3;

  /** Enough for a mixture of the right size; a good one is not needed here. */
  private static final int DESCRIPTORS = 50;

  /** Every method as the commands make it, and what sizes do to two of them. */
  static List<CostedHead> all() {
    HeadSettings small = new HeadSettings();
    small.transform = 128;
    HeadSettings full = new HeadSettings();
    full.dimensions = Integer.MAX_VALUE;
    return Stream.concat(
            Stream.of(Method.values()).map(it -> new CostedHead(it, "", new HeadSettings())),
            Stream.of(
                new CostedHead(Method.SPD, "transform = 128", small),
                new CostedHead(Method.FV_CNN, "all dimensions", full)))
        .toList();
  }

  /** The head that {@link #name} stands for. */
  static CostedHead of(String name) {
    return all().stream().filter(head -> head.name().equals(name)).findFirst().orElseThrow();
  }

  /** As an argument of another process. */
  String name() {
    return variant.isEmpty() ? method.key() : method.key() + ", " + variant;
  }

  /** The name for people. */
  String title() {
    String title = method.titleOfPooled();
    return variant.isEmpty() ? title : title + " (" + variant + ")";
  }

  /** The head behind a backbone that does nothing, ready to be trained. */
  ComputationGraph network(HeadSize size, DataSet data) {
    ComputationGraph net =
        SpdGraft.onto(Backbone.of(nothing(size), Backbone.MAPS))
            .inputType(InputType.convolutional(size.side(), size.side(), size.channels()))
            .head(method.recipe(settings, size.channels(), false).head())
            .classes(size.classes())
            .seed(SEED)
            .fineTune(momentum())
            .build();
    if (FisherVectors.areIn(net)) {
      FisherVectors.of(net).descriptorsPerComponent(DESCRIPTORS).fit(new InMemoryImages(data));
    }
    return net;
  }

  private static FineTuneConfiguration momentum() {
    return new FineTuneConfiguration.Builder()
        .updater(new Nesterovs(RATE, HeadWorkload.MOMENTUM))
        .build();
  }

  private static ComputationGraph nothing(HeadSize size) {
    ComputationGraph net =
        new ComputationGraph(
            HeadWorkload.graph(RATE, size.side(), size.channels())
                .addLayer(
                    Backbone.MAPS, new ActivationLayer(Activation.IDENTITY), HeadWorkload.INPUT)
                .addLayer("pool", new GlobalPoolingLayer(PoolingType.AVG), Backbone.MAPS)
                .addLayer("out", new OutputLayer.Builder().nOut(2).build(), "pool")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }
}
