/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

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
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * An ONNX graph in the making, of the standard operators of version {@value #OPERATORS}. Values
 * have names. What is added twice is there once, and what no output needs is left out in the end.
 */
final class OnnxGraph {

  /** The version of the standard operators. */
  static final int OPERATORS = 17;

  /** The version of the file format that goes with it. */
  private static final int FORMAT = 8;

  /** The most bytes that Protocol Buffers can have. */
  private static final long LARGEST = Integer.MAX_VALUE;

  /** A value that comes from outside, or goes there; the size of a batch is not known. */
  private record Port(String name, int type, long[] shape) {}

  private record Node(
      String operator, List<String> inputs, String output, Map<String, ?> options) {}

  private final List<Port> inputs = new ArrayList<>();
  private final List<Port> outputs = new ArrayList<>();
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final Map<String, Tensor> constants = new LinkedHashMap<>();
  private final Map<String, String> known = new HashMap<>();
  private final Map<String, String> metadata = new TreeMap<>();
  private final Set<String> names = new HashSet<>();
  private String place = "";

  /** Says what the names of the values to come begin with. */
  void enter(String vertex) {
    place = vertex + "/";
  }

  private String name(String hint) {
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
    nodes.put(name, new Node("Identity", List.of(value), name, Map.of()));
    outputs.add(new Port(name, Tensor.FLOAT, shape));
  }

  /** Adds what people, and programs, may read about the model. */
  void describe(String key, String text) {
    metadata.put(key, text);
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
          nodes.put(output, new Node(operator, List.of(inputs), output, options));
          return output;
        });
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
    Node before = nodes.get(x);
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

  String sum(String x, boolean keep, long... axes) {
    return node("ReduceSum", Map.of("keepdims", keep ? 1L : 0L), x, integers(axes));
  }

  /** Whether a value is a constant. */
  boolean isConstant(String value) {
    return constants.containsKey(value);
  }

  /** The operator that makes a value; null for inputs and constants. */
  String operatorOf(String value) {
    Node node = nodes.get(value);
    return node == null ? null : node.operator;
  }

  /** What goes into the operator that makes a value. */
  List<String> inputsOf(String value) {
    return nodes.get(value).inputs;
  }

  /** The operators of the outputs, in order. */
  List<String> operators() {
    Set<String> needed = needed();
    return nodes.values().stream()
        .filter(node -> needed.contains(node.output))
        .map(Node::operator)
        .toList();
  }

  private Set<String> needed() {
    Deque<String> waiting = new ArrayDeque<>();
    outputs.forEach(port -> waiting.add(port.name));
    Set<String> needed = new HashSet<>();
    while (!waiting.isEmpty()) {
      String value = waiting.pop();
      if (needed.add(value) && nodes.containsKey(value)) {
        waiting.addAll(nodes.get(value).inputs);
      }
    }
    return needed;
  }

  /** What a checker of ONNX asks for: every value is there before it is used, once. */
  private void requireSound() {
    Set<String> made = new HashSet<>(constants.keySet());
    inputs.forEach(port -> made.add(port.name));
    made.add(""); // an input that is left out
    for (Node node : nodes.values()) {
      if (!made.containsAll(node.inputs) || !made.add(node.output)) {
        throw new IllegalStateException("an ONNX graph out of order at " + node);
      }
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
    nodes.values().stream()
        .filter(node -> needed.contains(node.output))
        .forEach(node -> graph.with(1, message(node)));
    graph.with(2, "network");
    constants.forEach(
        (name, tensor) -> {
          if (needed.contains(name)) {
            graph.with(5, tensor.message(name));
          }
        });
    inputs.forEach(port -> graph.with(11, message(port)));
    outputs.forEach(port -> graph.with(12, message(port)));
    Message model =
        new Message()
            .with(1, FORMAT)
            .with(2, "spd-dl4j-onnx")
            .with(7, graph)
            .with(8, new Message().with(1, "").with(2, OPERATORS));
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
    message.with(2, node.output).with(3, node.output).with(4, node.operator);
    new TreeMap<>(node.options).forEach((name, value) -> message.with(5, attribute(name, value)));
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
