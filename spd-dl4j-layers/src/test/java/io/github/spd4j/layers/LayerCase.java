/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.testing.Examples;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A layer with some sets of options, and what the checks that all layers have in common need of it.
 * {@link LayerCases} has one for each layer.
 */
final class LayerCase {

  /** A check of the layer alone, by the class that runs it. */
  enum Check {
    /** {@link DefinitionTest}. */
    DEFINITION,
    /** {@link BatchTest}. */
    ALGEBRA,
    /** {@link AutodiffOracleTest}. */
    AUTODIFF,
    /** {@link HostTest}. */
    HOST
  }

  private final List<SpdLayer> layers;
  private final Map<Check, List<Examples>> examples = new EnumMap<>(Check.class);
  private final Map<Check, String> exceptions = new EnumMap<>(Check.class);
  private Consumer<Layer> start = layer -> {};

  private LayerCase(List<SpdLayer> layers) {
    this.layers = layers;
    for (Check check : Check.values()) {
      examples.put(check, new ArrayList<>());
    }
  }

  /** A case of a layer, with each of these sets of options; sizes follow from the examples. */
  static LayerCase of(SpdLayer... layers) {
    return new LayerCase(List.of(layers));
  }

  /** Examples for one check. */
  LayerCase on(Check check, Examples... batches) {
    examples.get(check).addAll(List.of(batches));
    return this;
  }

  /** Examples for all checks. */
  LayerCase on(Examples... batches) {
    return on(Check.AUTODIFF, batches).atKinks(batches);
  }

  /** Examples at which automatic differentiation finds another derivative, or none. */
  LayerCase atKinks(Examples... batches) {
    return on(Check.DEFINITION, batches).on(Check.ALGEBRA, batches).on(Check.HOST, batches);
  }

  /** Leaves a check out. */
  LayerCase without(Check check, String reason) {
    exceptions.put(check, reason);
    return this;
  }

  /** Why a check is left out; empty if it is not. */
  String reasonToLeaveOut(Check check) {
    return exceptions.getOrDefault(check, "");
  }

  /** Moves parameters to where the checks begin. */
  LayerCase startingWith(Consumer<Layer> change) {
    start = change;
    return this;
  }

  /** The layer, with the options of the case. */
  List<SpdLayer> layers() {
    return layers;
  }

  /** Each set of options with each batch of examples of a check. */
  Stream<Sample> samples(Check check) {
    return !reasonToLeaveOut(check).isEmpty()
        ? Stream.empty()
        : layers.stream()
            .flatMap(conf -> examples.get(check).stream().map(some -> new Sample(conf, some)));
  }

  /** The first set of options with the first batch of examples of a check. */
  Stream<Sample> firstSamples(Check check) {
    return samples(check).limit(1);
  }

  /** A layer with one set of options and one batch of examples. */
  final class Sample {
    private final SpdLayer conf;
    private final Examples batch;

    private Sample(SpdLayer conf, Examples batch) {
      this.conf = conf;
      this.batch = batch;
    }

    /** The layer, which knows the size of the examples. */
    SpdLayer layer() {
      SpdLayer layer = conf.clone();
      layer.setNIn(batch.type(), true);
      return layer;
    }

    INDArray input() {
      return batch.array();
    }

    /** The length of terms that cancel in the gradient by the input; 0 if none do. */
    double cancelling() {
      return batch.cancelling();
    }

    /** The same with another number of examples. */
    Sample batchOf(int number) {
      return new Sample(conf, batch.batchOf(number));
    }

    /** What executes the layer, with the parameters that the checks begin with. */
    Layer runtime(DataType type, Backend backend) {
      Layer layer = LayerCase.runtime(layer(), type, backend);
      start.accept(layer);
      return layer;
    }

    @Override
    public String toString() {
      return conf + " on " + batch;
    }
  }

  /** What executes a layer on a backend. */
  static Layer runtime(SpdLayer configuration, DataType type, Backend backend) {
    NeuralNetConfiguration conf =
        new NeuralNetConfiguration.Builder().dataType(type).layer(configuration).build();
    long size = configuration.initializer().numParams(conf);
    INDArray params = size == 0 ? null : Nd4j.create(type, 1, size);
    Layer layer = ((SpdLayer) conf.getLayer()).executed(conf, type, backend);
    layer.setParamsViewArray(params);
    layer.setParamTable(configuration.initializer().init(conf, params, true));
    if (size > 0) {
      layer.setBackpropGradientsViewArray(Nd4j.create(type, 1, size));
    }
    return layer;
  }
}
