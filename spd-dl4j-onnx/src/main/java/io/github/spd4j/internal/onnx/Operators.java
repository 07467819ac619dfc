/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import static java.util.Map.entry;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.nd4j.autodiff.functions.DifferentialFunction;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.VariableType;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.DynamicCustomOp;
import org.nd4j.linalg.api.ops.ReduceOp;
import org.nd4j.linalg.api.ops.ScalarOp;
import org.nd4j.linalg.api.ops.impl.shape.Reshape;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The operations of SameDiff that definitions of layers are made of, as operators of ONNX. A new
 * layer needs an entry here only if its definition has an operation that no other has.
 */
final class Operators {

  /** Translates one operation. */
  private interface Translation {
    String of(OnnxGraph graph, Operation operation);
  }

  /** An operation, and the values that it takes. */
  private record Operation(
      DifferentialFunction function,
      SDVariable output,
      String[] inputs,
      Map<String, Integer> ranks) {

    /** How many dimensions an input has. */
    int rankOf(int input) {
      return ranks.get(function.args()[input].name());
    }

    /** How many dimensions the output has. */
    int rank() {
      if (function instanceof ReduceOp) {
        return keeps() ? rankOf(0) : rankOf(0) - axes().length;
      }
      if (function instanceof Reshape) {
        return newShape().length;
      }
      return IntStream.range(0, inputs.length).map(this::rankOf).max().orElseThrow();
    }

    long[] axes() {
      INDArray axes = ((ReduceOp) function).dimensions();
      if (axes == null || axes.isEmpty()) {
        throw new NotExportable(function.opName() + " over all images");
      }
      return axes.toLongVector();
    }

    /** Whether axes that are reduced stay as axes of one entry. */
    boolean keeps() {
      return ((ReduceOp) function).isKeepDims();
    }

    /** Before the sizes is what tells the order, a negative number that is not −1. */
    long[] newShape() {
      return LongStream.of(integers()).filter(size -> size >= -1).toArray();
    }

    long[] integers() {
      return ((DynamicCustomOp) function).iArgs();
    }

    double scalar() {
      return ((ScalarOp) function).scalar().getDouble(0);
    }
  }

  /** By their names in SameDiff. */
  private static final Map<String, Translation> TABLE =
      Map.ofEntries(
          entry("abs", same("Abs")),
          entry("add", same("Add")),
          entry("subtract", same("Sub")),
          entry("multiply", Operators::product),
          entry("divide", same("Div")),
          entry("maximum", same("Max")),
          entry("minimum", same("Min")),
          entry("exp", same("Exp")),
          entry("log", same("Log")),
          entry("floor", same("Floor")),
          entry("round", same("Round")),
          entry("neg", same("Neg")),
          entry("sqrt", same("Sqrt")),
          entry("sigmoid", same("Sigmoid")),
          entry("tanh", same("Tanh")),
          entry("identity", (graph, op) -> op.inputs[0]),
          entry("square", (graph, op) -> graph.multiply(op.inputs[0], op.inputs[0])),
          entry("add_scalar", scalar("Add")),
          entry("sub_scalar", scalar("Sub")),
          entry("mul_scalar", scalar("Mul")),
          entry("div_scalar", scalar("Div")),
          entry("rsub_scalar", reversed("Sub")),
          entry("rdiv_scalar", reversed("Div")),
          entry("pow", scalar("Pow")),
          entry("greaterthan_scalar", scalar("Greater")),
          entry("greaterthanorequal_scalar", scalar("GreaterOrEqual")),
          entry("lessthan_scalar", scalar("Less")),
          entry("equals_scalar", scalar("Equal")),
          entry("greater", same("Greater")),
          entry("greater_equal", same("GreaterOrEqual")),
          entry("less", same("Less")),
          entry("less_equal", same("LessOrEqual")),
          entry("cast", Operators::cast),
          entry("relu", Operators::relu),
          entry("softmax", Operators::softmax),
          entry("matmul", Operators::matrixProduct),
          entry("permute", (graph, op) -> graph.transpose(op.inputs[0], op.integers())),
          entry("reshape", Operators::reshape),
          entry("concat", Operators::concatenation),
          entry("reduce_sum", Operators::sum),
          entry("reduce_mean", reduction("ReduceMean")),
          entry("reduce_max", reduction("ReduceMax")),
          entry("unsorted_segment_sum", Operators::segmentSum),
          entry("conv2d", Operators::convolution));

  private final OnnxGraph graph;
  private final SameDiff definition;
  private final Map<String, String> values = new HashMap<>();
  private final Map<String, Integer> ranks = new HashMap<>();

  private Operators(OnnxGraph graph, SameDiff definition, Map<String, String> given) {
    this.graph = graph;
    this.definition = definition;
    values.putAll(given);
  }

  /**
   * Adds what a definition computes to a graph.
   *
   * @param given the values of its placeholders by name
   * @return the value of its output
   * @throws NotExportable if an operation has no translation; the message is its name
   */
  static String translate(OnnxGraph graph, SDVariable output, Map<String, String> given) {
    return new Operators(graph, output.getSameDiff(), given).value(output);
  }

  private String value(SDVariable variable) {
    String value = values.get(variable.name());
    if (value == null) {
      boolean isComputed = variable.getVariableType() == VariableType.ARRAY;
      value = isComputed ? computed(variable) : graph.constant(variable.getArr());
      values.put(variable.name(), value);
    }
    if (!ranks.containsKey(variable.name())) {
      ranks.put(variable.name(), variable.getShape().length);
    }
    return value;
  }

  private String computed(SDVariable variable) {
    DifferentialFunction function = definition.getVariableOutputOp(variable.name());
    if (function == null) {
      throw new IllegalArgumentException("no value for " + variable.name());
    }
    Translation translation = TABLE.get(function.opName());
    if (translation == null) {
      throw new NotExportable(function.opName());
    }
    SDVariable[] arguments = function.args();
    String[] inputs = new String[arguments.length];
    for (int i = 0; i < inputs.length; i++) {
      inputs[i] = value(arguments[i]);
    }
    Operation operation = new Operation(function, variable, inputs, ranks);
    ranks.put(variable.name(), operation.rank());
    return translation.of(graph, operation);
  }

  private static Translation same(String operator) {
    return (graph, op) -> graph.node(operator, op.inputs);
  }

  private static Translation scalar(String operator) {
    return (graph, op) -> graph.node(operator, op.inputs[0], graph.constant(op.scalar()));
  }

  private static Translation reversed(String operator) {
    return (graph, op) -> graph.node(operator, graph.constant(op.scalar()), op.inputs[0]);
  }

  private static Translation reduction(String operator) {
    return (graph, op) -> graph.reduce(operator, op.inputs[0], op.keeps(), op.axes());
  }

  private static String sum(OnnxGraph graph, Operation op) {
    return graph.sum(op.inputs[0], op.keeps(), op.axes());
  }

  /** A value rounded to the digits that it has, to hide it from the derivative, is the value. */
  private static String product(OnnxGraph graph, Operation op) {
    String factor = op.inputs[0];
    while ("Cast".equals(graph.operatorOf(factor))) {
      factor = graph.inputsOf(factor).get(0);
    }
    if ("Round".equals(graph.operatorOf(factor))) {
      String quotient = graph.inputsOf(factor).get(0);
      if ("Div".equals(graph.operatorOf(quotient))
          && graph.inputsOf(quotient).get(1).equals(op.inputs[1])) {
        return graph.inputsOf(quotient).get(0);
      }
    }
    return graph.multiply(op.inputs[0], op.inputs[1]);
  }

  private static String cast(OnnxGraph graph, Operation op) {
    DataType type = op.output.dataType();
    if (type == op.function.args()[0].dataType()) {
      return op.inputs[0];
    }
    if (!type.isFPType() && type != DataType.INT64) {
      throw new NotExportable("cast to " + type);
    }
    long code = type.isFPType() ? Tensor.FLOAT : Tensor.INT64;
    return graph.node("Cast", Map.of("to", code), op.inputs[0]);
  }

  private static String relu(OnnxGraph graph, Operation op) {
    if (op.scalar() != 0) {
      throw new NotExportable("relu with the cutoff " + op.scalar());
    }
    return graph.node("Relu", op.inputs);
  }

  private static String softmax(OnnxGraph graph, Operation op) {
    return graph.node("Softmax", Map.of("axis", op.integers()[0]), op.inputs);
  }

  private static String matrixProduct(OnnxGraph graph, Operation op) {
    long[] transposed = op.integers();
    if (transposed.length > 2 && transposed[2] != 0) {
      throw new NotExportable("matmul with a transposed result");
    }
    String[] factors = op.inputs.clone();
    for (int i = 0; i < 2; i++) {
      if (transposed.length > i && transposed[i] != 0) {
        factors[i] = graph.transpose(factors[i], lastTwoSwapped(op.rankOf(i)));
      }
    }
    return graph.node("MatMul", factors);
  }

  private static long[] lastTwoSwapped(int rank) {
    long[] axes = LongStream.range(0, rank).toArray();
    axes[rank - 1] = rank - 2L;
    axes[rank - 2] = rank - 1L;
    return axes;
  }

  private static String reshape(OnnxGraph graph, Operation op) {
    return graph.reshape(op.inputs[0], op.newShape());
  }

  private static String concatenation(OnnxGraph graph, Operation op) {
    return graph.node("Concat", Map.of("axis", op.integers()[0]), op.inputs);
  }

  /**
   * Sums of rows [L, N] by places: the sources of each place side by side, and added. Without
   * anything to add is a row of zeros.
   */
  private static String segmentSum(OnnxGraph graph, Operation op) {
    int[] places = op.function.args()[1].getArr().toIntVector();
    int count = Math.toIntExact(op.integers()[0]);
    int[] numbers = new int[count];
    for (int place : places) {
      numbers[place]++;
    }
    int most = Arrays.stream(numbers).max().orElse(0);
    long[] sources = new long[most * count];
    float[] counts = new float[most * count];
    Arrays.fill(numbers, 0);
    for (int i = 0; i < places.length; i++) {
      int at = numbers[places[i]]++ * count + places[i];
      sources[at] = i;
      counts[at] = 1;
    }
    String columns = graph.transpose(op.inputs[0], 1, 0);
    String gathered = graph.node("Gather", Map.of("axis", 1L), columns, graph.integers(sources));
    if (places.length < sources.length) {
      gathered = graph.multiply(gathered, graph.constant(Nd4j.createFromArray(counts)));
    }
    String sums =
        most == 1 ? gathered : graph.sum(graph.reshape(gathered, -1, most, count), false, 1);
    return graph.transpose(sums, 1, 0);
  }

  private static String convolution(OnnxGraph graph, Operation op) {
    long[] config = op.integers(); // kernel, strides, padding, dilations, mode, format, format
    if (LongStream.of(config).skip(8).anyMatch(each -> each != 0)) {
      throw new NotExportable("conv2d of " + Arrays.toString(config));
    }
    String weights = graph.transpose(op.inputs[1], 3, 2, 0, 1); // from [kH, kW, in, out]
    Map<String, long[]> options =
        Map.of(
            "strides", new long[] {config[2], config[3]},
            "pads", new long[] {config[4], config[5], config[4], config[5]},
            "dilations", new long[] {config[6], config[7]});
    return graph.node("Conv", options, op.inputs[0], weights);
  }
}
