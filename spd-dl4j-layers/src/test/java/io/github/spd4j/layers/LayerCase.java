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
import java.util.function.DoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A layer with some sets of options, and what the checks that all layers have in common need of it.
 * {@link LayerCases} has one for each layer.
 */
final class LayerCase {

  /** A check, by the class that runs it. */
  enum Check {
    /** {@link DefinitionTest}, of the layer alone. */
    DEFINITION,
    /** {@link AlgebraTest}, of the layer alone. */
    ALGEBRA,
    /** {@link AutodiffOracleTest}, of the layer alone. */
    AUTODIFF,
    /** {@link HostTest}, of the layer alone. */
    HOST,
    /** {@link GradientTest}, in networks. */
    GRADIENT,
    /** {@link SerializationTest}, in networks. */
    JSON,
    /** {@link RuntimeTest} and {@link SameDiffBackendTest}, in networks. */
    RUNTIME,
    /** {@link UserInputTest}, in networks. */
    INPUT,
    /** {@link DegenerateImagesTest}, in networks. */
    DEGENERATE
  }

  private final List<SpdLayer> layers;
  private final Map<Check, List<Examples>> examples = new EnumMap<>(Check.class);
  private final Map<Check, List<Head>> heads = new EnumMap<>(Check.class);
  private final List<Refusal> refusals = new ArrayList<>();
  private final Map<Check, String> exceptions = new EnumMap<>(Check.class);
  private Consumer<Layer> start = layer -> {};

  private LayerCase(List<SpdLayer> layers) {
    this.layers = layers;
    for (Check check : Check.values()) {
      examples.put(check, new ArrayList<>());
      heads.put(check, new ArrayList<>());
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

  /** Layers of a network, with that of the case among them, for one check. */
  LayerCase in(Check check, org.deeplearning4j.nn.conf.layers.Layer... head) {
    heads.get(check).add(new Head(List.of(head)));
    return this;
  }

  /** Layers of a network, with that of the case among them, for all checks in networks. */
  LayerCase in(org.deeplearning4j.nn.conf.layers.Layer... head) {
    return in(Check.GRADIENT, head)
        .in(Check.JSON, head)
        .in(Check.RUNTIME, head)
        .in(Check.INPUT, head)
        .in(Check.DEGENERATE, head);
  }

  /** Leaves a check out. */
  LayerCase without(Check check, String reason) {
    exceptions.put(check, reason);
    return this;
  }

  /** Options that are refused when the layer is built, with words of the message. */
  LayerCase refuses(SpdLayer.Builder<?> builder, String... words) {
    refusals.add(new Refusal(builder, words));
    return this;
  }

  /** Values of an option that are refused when the layer is built; the message names them. */
  LayerCase refuses(String option, DoubleFunction<SpdLayer.Builder<?>> builder, double... values) {
    for (double value : values) {
      refuses(builder.apply(value), option + " = " + value);
    }
    return this;
  }

  /** What is refused when the layer is built. */
  Stream<Refusal> refusals() {
    return refusals.stream();
  }

  /** Options that are refused. */
  static final class Refusal {
    private final SpdLayer.Builder<?> builder;
    private final String[] words;

    private Refusal(SpdLayer.Builder<?> builder, String... words) {
      this.builder = builder;
      this.words = words;
    }

    /** Builds the layer, which is called "mine". */
    SpdLayer build() {
      return builder.name("mine").build();
    }

    /** Words of the message. */
    String[] words() {
      return words;
    }

    /** The class of the layer. */
    String layer() {
      return builder.getClass().getEnclosingClass().getSimpleName();
    }

    @Override
    public String toString() {
      return layer() + ": " + String.join(", ", words);
    }
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

  /** The networks of a check. */
  Stream<Head> heads(Check check) {
    return reasonToLeaveOut(check).isEmpty() ? heads.get(check).stream() : Stream.empty();
  }

  /** The class of a layer and of its kernel, whatever their options are. */
  static String kind(org.deeplearning4j.nn.conf.layers.Layer layer) {
    String kind = layer.getClass().getSimpleName();
    return layer instanceof KernelAggregationLayer
        ? kind + " " + ((KernelAggregationLayer) layer).getKernel().getClass().getSimpleName()
        : kind;
  }

  /** Layers of a network, the layer of the case among them. */
  final class Head {
    private final List<org.deeplearning4j.nn.conf.layers.Layer> head;

    private Head(List<org.deeplearning4j.nn.conf.layers.Layer> head) {
      this.head = head;
    }

    /** The layers, new ones each time. */
    List<org.deeplearning4j.nn.conf.layers.Layer> layers() {
      return head.stream()
          .map(org.deeplearning4j.nn.conf.layers.Layer::clone)
          .collect(Collectors.toList());
    }

    String kind() {
      return head.stream().map(LayerCase::kind).collect(Collectors.joining(" "));
    }

    /** Moves parameters of the case's layer to where the checks begin. */
    void start(ComputationGraph net) {
      for (Layer layer : net.getLayers()) {
        if (layers.stream()
            .anyMatch(each -> each.getClass() == layer.conf().getLayer().getClass())) {
          start.accept(layer);
        }
      }
    }

    @Override
    public String toString() {
      return head.toString();
    }
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

    String name() {
      return conf.getClass().getSimpleName();
    }

    String kind() {
      return LayerCase.kind(conf);
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
