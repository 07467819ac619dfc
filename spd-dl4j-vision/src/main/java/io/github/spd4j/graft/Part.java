/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.backbones.Backbone;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * One layer or vertex of a {@link Head}, with its name in the network.
 *
 * <p>Its input is the output of the part before it, unless {@link #from} says otherwise. Any layer
 * of DL4J, of this library or of your own fits:
 *
 * <pre>{@code
 * Part.layer("spd-kernel", () -> new KernelAggregationLayer.Builder().ridge(1e-3))
 * Part.layer("mine", MyLayer.Builder::new)
 * Part.vertex("sum", () -> new ElementWiseVertex(ElementWiseVertex.Op.Add)).from("mine", "yours")
 * }</pre>
 *
 * <p>Sizes of inputs are inferred, so nIn need not be set. A part does not change.
 */
public abstract sealed class Part permits Part.OfLayer, Part.OfVertex, Part.OfBackbone {

  final String name;
  final List<String> inputs;

  private Part(String name, List<String> inputs) {
    this.name = Objects.requireNonNull(name, "name");
    this.inputs = inputs;
  }

  /**
   * A layer.
   *
   * @param name its name in the network; {@link SpdGraft} has those of the library's heads
   * @param builder makes a new builder at each call, from which each network gets its own layer
   * @return the part
   * @throws RuntimeException if the layer refuses what is set on the builder
   */
  public static Part layer(String name, Supplier<? extends Layer.Builder<?>> builder) {
    return new OfLayer(name, List.of(), builder, null);
  }

  /**
   * A vertex without parameters, such as one that adds, joins or scales.
   *
   * @param name its name in the network
   * @param vertex makes a new vertex at each call
   * @return the part
   */
  public static Part vertex(String name, Supplier<? extends GraphVertex> vertex) {
    return new OfVertex(name, List.of(), vertex);
  }

  /**
   * What the backbone itself has between the cut and its classifier, with its weights, if there are
   * fully connected layers among it.
   *
   * @param otherwise the parts in its place for a backbone without
   * @return the part
   */
  public static Part fullyConnected(Part... otherwise) {
    requireAll(otherwise, "otherwise");
    return new OfBackbone(List.of(otherwise));
  }

  /**
   * The same part with other inputs.
   *
   * @param names parts before it in the head, or {@link Backbone#MAPS}; a layer takes one
   * @return a new part
   */
  public abstract Part from(String... names);

  /**
   * The same layer with first parameters that its initialisation does not give.
   *
   * @param start changes the parameters, which it gets by their names in the layer
   * @return a new part
   */
  public Part startingWith(Consumer<Map<String, INDArray>> start) {
    throw new IllegalArgumentException("expected a layer to start with parameters, got " + this);
  }

  /**
   * The name in the network.
   *
   * @return the name
   */
  public final String name() {
    return name;
  }

  /** This part and those it stands for. */
  Stream<Part> all() {
    return Stream.of(this);
  }

  /** Its layer, which knows nothing of its input yet, if it is of this class. */
  <L extends Layer> Optional<L> layer(Class<L> type) {
    return Optional.empty();
  }

  /** Whether it starts as {@link #startingWith} says. */
  boolean startsAsSaid() {
    return false;
  }

  /** Whether it has a layer by a builder of this class. */
  boolean has(Class<?> builder) {
    return false;
  }

  /** The part whose builders of this class are changed. */
  <B> Part with(Class<B> builder, Consumer<? super B> change) {
    return this;
  }

  /** Puts the part on a backbone. */
  abstract void addTo(HeadBuilder builder);

  /** Sets the first parameters. */
  void start(ComputationGraph net) {
    // as they were initialised
  }

  /** Refuses null, and null in it. */
  static void requireAll(Object[] all, String name) {
    Objects.requireNonNull(all, name);
    for (Object each : all) {
      Objects.requireNonNull(each, name + ": null among them");
    }
  }

  private static String described(String name, List<String> inputs, String what) {
    return name + ": " + what + (inputs.isEmpty() ? "" : " from " + String.join(", ", inputs));
  }

  /** A layer. */
  static final class OfLayer extends Part {

    private final Supplier<? extends Layer.Builder<?>> builder;
    private final Consumer<Map<String, INDArray>> start;

    private OfLayer(
        String name,
        List<String> inputs,
        Supplier<? extends Layer.Builder<?>> builder,
        Consumer<Map<String, INDArray>> start) {
      super(name, inputs);
      this.builder = Objects.requireNonNull(builder, "builder");
      this.start = start;
      layer(); // refuses what is wrong where it is said
    }

    Layer.Builder<?> builder() {
      Layer.Builder<?> made = Objects.requireNonNull(builder.get(), "builder: a supplier of null");
      made.name(name);
      return made;
    }

    private Layer layer() {
      return builder().build();
    }

    @Override
    <L extends Layer> Optional<L> layer(Class<L> type) {
      return Optional.of(layer()).filter(type::isInstance).map(type::cast);
    }

    @Override
    public Part from(String... names) {
      requireAll(names, "names");
      if (names.length != 1) {
        throw new IllegalArgumentException(
            "expected one input of layer '" + name + "', got " + Arrays.toString(names));
      }
      return new OfLayer(name, List.of(names), builder, start);
    }

    @Override
    public Part startingWith(Consumer<Map<String, INDArray>> start) {
      return new OfLayer(name, inputs, builder, Objects.requireNonNull(start, "start"));
    }

    @Override
    boolean has(Class<?> type) {
      return type.isInstance(builder.get());
    }

    @Override
    <B> Part with(Class<B> type, Consumer<? super B> change) {
      if (!has(type)) {
        return this;
      }
      Supplier<Layer.Builder<?>> changed =
          () -> {
            Layer.Builder<?> made = builder.get();
            change.accept(type.cast(made));
            return made;
          };
      return new OfLayer(name, inputs, changed, start);
    }

    @Override
    void addTo(HeadBuilder builder) {
      builder.add(name, builder(), inputs);
    }

    @Override
    boolean startsAsSaid() {
      return start != null;
    }

    @Override
    void start(ComputationGraph net) {
      if (startsAsSaid()) {
        start.accept(net.getLayer(name).paramTable());
      }
    }

    @Override
    public String toString() {
      Layer layer = layer();
      long size = layer instanceof FeedForwardLayer ? ((FeedForwardLayer) layer).getNOut() : 0;
      String type = layer.getClass().getSimpleName();
      return described(name, inputs, size > 0 ? type + " to " + size : type);
    }
  }

  /** A vertex without parameters. */
  static final class OfVertex extends Part {

    private final Supplier<? extends GraphVertex> vertex;

    private OfVertex(String name, List<String> inputs, Supplier<? extends GraphVertex> vertex) {
      super(name, inputs);
      this.vertex = Objects.requireNonNull(vertex, "vertex");
      Objects.requireNonNull(vertex.get(), "vertex: a supplier of null");
    }

    @Override
    public Part from(String... names) {
      requireAll(names, "names");
      return new OfVertex(name, List.of(names), vertex);
    }

    @Override
    void addTo(HeadBuilder builder) {
      builder.add(name, vertex.get(), inputs);
    }

    @Override
    public String toString() {
      return described(name, inputs, vertex.get().getClass().getSimpleName());
    }
  }

  /** The backbone's own fully connected layers, or other parts. */
  static final class OfBackbone extends Part {

    private static final String NAME = "fully-connected";

    private final List<Part> otherwise;

    private OfBackbone(List<Part> otherwise) {
      super(NAME, List.of());
      this.otherwise = otherwise;
    }

    @Override
    public Part from(String... names) {
      throw new IllegalArgumentException(
          "expected no input of the backbone's own layers, got " + Arrays.toString(names));
    }

    @Override
    Stream<Part> all() {
      return Stream.concat(Stream.of(this), otherwise.stream().flatMap(Part::all));
    }

    @Override
    boolean has(Class<?> builder) {
      return otherwise.stream().anyMatch(part -> part.has(builder));
    }

    @Override
    <B> Part with(Class<B> builder, Consumer<? super B> change) {
      return new OfBackbone(
          otherwise.stream()
              .map(part -> part.with(builder, change))
              .collect(Collectors.toUnmodifiableList()));
    }

    @Override
    void addTo(HeadBuilder builder) {
      if (!builder.continueFromFullyConnected()) {
        otherwise.forEach(part -> part.addTo(builder));
      }
    }

    @Override
    public String toString() {
      return "the backbone's fully connected layers, or "
          + (otherwise.isEmpty() ? "the feature maps" : otherwise);
    }
  }
}
