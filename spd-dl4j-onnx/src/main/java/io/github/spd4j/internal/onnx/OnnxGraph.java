/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * An ONNX graph in the making, of standard operators. Values have names. What is added twice is
 * there once, and what no output needs is left out in the end.
 */
final class OnnxGraph {

  /** The version of the standard operators, unless a graph to be joined has another. */
  static final int OPERATORS = 17;

  /** In these versions our operators have one form, but for {@link #AXES_ARE_INPUTS}. */
  static final int OLDEST = 13;

  static final int NEWEST = 28;

  /** Since this version all reductions take axes as an input, before as an attribute. */
  private static final int AXES_ARE_INPUTS = 18;

  private static final String VERSION = version();

  /** The version of the file format that goes with it. */
  private static final int FORMAT = 8;

  /** The most bytes that Protocol Buffers can have. */
  private static final long LARGEST = Integer.MAX_VALUE;

  /** A value that comes from outside, or goes there; the size of a batch is not known. */
  private record Port(String name, int type, long[] shape) {}

  private record Node(
      String operator, List<String> inputs, List<String> outputs, Map<String, ?> options) {}

  private final List<Port> inputs = new ArrayList<>();
  private final List<Port> outputs = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final Map<String, Node> makers = new HashMap<>();
  private final Map<String, Message.Content> weights = new LinkedHashMap<>();
  private final Map<String, Tensor> constants = new LinkedHashMap<>();
  private final Map<String, String> known = new HashMap<>();
  private final Map<String, String> metadata = new TreeMap<>();
  private final Set<String> names = new HashSet<>();
  private final long operators;
  private String place = "";

  /**
   * An empty graph.
   *
   * @param operators the version of the standard operators, {@link #OLDEST} to {@link #NEWEST}
   */
  OnnxGraph(long operators) {
    this.operators = operators;
  }

  private static String version() {
    Properties properties = new Properties();
    try (InputStream in = OnnxGraph.class.getResourceAsStream("version.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }

  /** Says what the names of the values to come begin with. */
  void enter(String vertex) {
    place = vertex + "/";
  }

  /** A name of its own for a value, in the place that was entered. */
  String name(String hint) {
    String name = place + hint;
    for (int i = 2; !names.add(name); i++) {
      name = place + hint + "-" + i;
    }
    return name;
  }

  /**
   * Adds an input.
   *
   * @param type the type of its numbers, such as {@link Tensor#FLOAT}
   * @param shape its shape without that of the batch
   */
  String input(String name, int type, long... shape) {
    names.add(name);
    inputs.add(new Port(name, type, shape));
    return name;
  }

  /** Adds an output, which gets a name of its own. */
  void output(String name, String value, long... shape) {
    if (!names.add(name)) {
      throw new IllegalArgumentException("two values with the name " + name);
    }
    add(new Node("Identity", List.of(value), List.of(name), Map.of()));
    outputs.add(new Port(name, Tensor.FLOAT, shape));
  }

  private void add(Node node) {
    nodes.add(node);
    node.outputs.forEach(output -> makers.put(output, node));
  }

  /** Adds what people, and programs, may read about the model. */
  void describe(String key, String text) {
    metadata.put(key, text);
  }

  /** Adds a TensorProto, whose name is one of ours. */
  void weights(String name, Message.Content tensor) {
    weights.put(name, tensor);
  }

  String constant(Tensor tensor) {
    String key = tensor.key();
    String twin = known.get(key);
    if (twin != null && constants.get(twin).isEqualTo(tensor)) {
      return twin;
    }
    String name = name("constant");
    constants.put(name, tensor);
    known.put(key, name);
    return name;
  }

  String constant(INDArray array) {
    return constant(Tensor.of(array));
  }

  String constant(double value) {
    return constant(Tensor.of(value));
  }

  String integers(long... values) {
    return constant(Tensor.of(values));
  }

  String node(String operator, String... inputs) {
    return node(operator, Map.of(), inputs);
  }

  /**
   * Adds an operator with one output.
   *
   * @param options its attributes by name: Float, Long, or long[]
   */
  String node(String operator, Map<String, ?> options, String... inputs) {
    String key = operator + Arrays.toString(inputs) + described(options);
    return known.computeIfAbsent(
        key,
        any -> {
          String output = name(operator.toLowerCase(Locale.ROOT));
          add(new Node(operator, List.of(inputs), List.of(output), options));
          return output;
        });
  }

  /**
   * Adds an operator as it is.
   *
   * @param options its AttributeProtos by name
   */
  void node(
      String operator,
      Map<String, Message.Content> options,
      List<String> inputs,
      List<String> outputs) {
    add(new Node(operator, inputs, outputs, options));
  }

  private static String described(Map<String, ?> options) {
    Map<String, String> sorted = new TreeMap<>();
    options.forEach(
        (name, value) ->
            sorted.put(
                name, value instanceof long[] some ? Arrays.toString(some) : value.toString()));
    return sorted.toString();
  }

  String add(String a, String b) {
    return node("Add", a, b);
  }

  String multiply(String a, String b) {
    return node("Mul", a, b);
  }

  String multiply(String a, double factor) {
    return factor == 1 ? a : multiply(a, constant(factor));
  }

  /** Transposes; what was transposed before is transposed once, or not at all. */
  String transpose(String x, long... axes) {
    Node before = makers.get(x);
    if (before == null || !before.operator.equals("Transpose")) {
      return node("Transpose", Map.of("perm", axes), x);
    }
    long[] first = (long[]) before.options.get("perm");
    long[] both = LongStream.of(axes).map(axis -> first[(int) axis]).toArray();
    String source = before.inputs.get(0);
    return Arrays.equals(both, LongStream.range(0, both.length).toArray())
        ? source
        : node("Transpose", Map.of("perm", both), source);
  }

  /** Reshapes; −1 for one size that follows from the others. */
  String reshape(String x, long... shape) {
    return node("Reshape", x, integers(shape));
  }

  /** Adds one of the operators that reduce axes, such as ReduceSum. */
  String reduce(String operator, String x, boolean keep, long... axes) {
    long keeps = keep ? 1 : 0;
    return operator.equals("ReduceSum") || operators >= AXES_ARE_INPUTS
        ? node(operator, Map.of("keepdims", keeps), x, integers(axes))
        : node(operator, Map.of("keepdims", keeps, "axes", axes), x);
  }

  String sum(String x, boolean keep, long... axes) {
    return reduce("ReduceSum", x, keep, axes);
  }

  /** The operator that makes a value; null for inputs and constants. */
  String operatorOf(String value) {
    Node node = makers.get(value);
    return node == null ? null : node.operator;
  }

  /** What goes into the operator that makes a value. */
  List<String> inputsOf(String value) {
    return makers.get(value).inputs;
  }

  /** The operators of the outputs, in order. */
  List<String> operators() {
    return nodes(needed()).map(Node::operator).toList();
  }

  private Stream<Node> nodes(Set<String> needed) {
    return nodes.stream().filter(node -> node.outputs.stream().anyMatch(needed::contains));
  }

  private Set<String> needed() {
    Deque<String> waiting = new ArrayDeque<>();
    outputs.forEach(port -> waiting.add(port.name));
    Set<String> needed = new HashSet<>();
    while (!waiting.isEmpty()) {
      String value = waiting.pop();
      if (needed.add(value) && makers.containsKey(value)) {
        waiting.addAll(makers.get(value).inputs);
      }
    }
    return needed;
  }

  /** What a checker of ONNX asks for: every value is there before it is used, once. */
  private void requireSound() {
    Set<String> made = new HashSet<>(constants.keySet());
    made.addAll(weights.keySet());
    inputs.forEach(port -> made.add(port.name));
    made.add(""); // an input that is left out
    for (Node node : nodes) {
      boolean isNew =
          node.outputs.stream().allMatch(output -> output.isEmpty() || !made.contains(output));
      if (!made.containsAll(node.inputs) || !isNew) {
        throw new IllegalStateException("an ONNX graph out of order at " + node);
      }
      made.addAll(node.outputs);
    }
    if (inputs.isEmpty() || outputs.isEmpty()) {
      throw new IllegalStateException("an ONNX graph without inputs or outputs");
    }
  }

  /**
   * The whole file, a ModelProto.
   *
   * @throws IllegalArgumentException if it is larger than a file can be
   */
  Message model() {
    requireSound();
    Set<String> needed = needed();
    Message graph = new Message();
    nodes(needed).forEach(node -> graph.with(1, message(node)));
    graph.with(2, "network");
    constants.forEach(
        (name, tensor) -> {
          if (needed.contains(name)) {
            graph.with(5, tensor.message(name));
          }
        });
    weights.forEach(
        (name, tensor) -> {
          if (needed.contains(name)) {
            graph.with(5, tensor);
          }
        });
    inputs.forEach(port -> graph.with(11, message(port)));
    outputs.forEach(port -> graph.with(12, message(port)));
    Message model =
        new Message()
            .with(1, FORMAT)
            .with(2, "spd-dl4j-onnx")
            .with(3, VERSION)
            .with(7, graph)
            .with(8, new Message().with(1, "").with(2, operators));
    metadata.forEach((key, text) -> model.with(14, new Message().with(1, key).with(2, text)));
    if (model.size() > LARGEST) {
      throw new IllegalArgumentException(
          String.format(
              "an ONNX file has at most %d bytes, this network would take %d",
              LARGEST, model.size()));
    }
    return model;
  }

  private static Message message(Port port) {
    Message shape = new Message().with(1, new Message().with(2, "N"));
    for (long size : port.shape) { // DL4J does not know all
      shape.with(1, size > 0 ? new Message().with(1, size) : new Message());
    }
    Message tensor = new Message().with(1, port.type).with(2, shape);
    return new Message().with(1, port.name).with(2, new Message().with(1, tensor));
  }

  private static Message message(Node node) {
    Message message = new Message();
    node.inputs.forEach(input -> message.with(1, input));
    node.outputs.forEach(output -> message.with(2, output));
    message.with(3, node.outputs.get(0)).with(4, node.operator);
    new TreeMap<>(node.options)
        .forEach(
            (name, value) -> {
              if (value instanceof Message.Content written) {
                message.with(5, written);
              } else {
                message.with(5, attribute(name, value));
              }
            });
    return message;
  }

  private static Message attribute(String name, Object value) {
    Message message = new Message().with(1, name);
    if (value instanceof Float number) {
      return message.with(2, number).with(20, 1);
    }
    if (value instanceof Long number) {
      return message.with(3, number).with(20, 2);
    }
    if (value instanceof String text) {
      return message.with(4, text).with(20, 3);
    }
    for (long number : (long[]) value) {
      message.with(8, number);
    }
    return message.with(20, 7);
  }
}
