/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a graph must keep to before ONNX Runtime sees it: operators of the standard that neither
 * loop nor run code, nodes after what they take, outputs that are computed, tensors as long as
 * their shapes say, and no constant that asks for more memory than there is.
 *
 * <p>Sizes that a graph computes for itself are not known here.
 */
final class OnnxRules {

  /** Those of the domain ai.onnx without control flow, chance, texts, sequences and decoders. */
  private static final Set<String> OPERATORS =
      Set.of(
          ("Abs Acos Acosh Add AffineGrid And ArgMax ArgMin Asin Asinh Atan Atanh Attention"
                  + " AveragePool BatchNormalization BitShift BitwiseAnd BitwiseNot BitwiseOr"
                  + " BitwiseXor BlackmanWindow Cast CastLike Ceil Celu CenterCropPad Clip Col2Im"
                  + " Compress Concat Constant ConstantOfShape Conv ConvInteger ConvTranspose Cos"
                  + " Cosh CumSum DFT DeformConv DepthToSpace DequantizeLinear Det Div Dropout"
                  + " DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor"
                  + " GRU Gather GatherElements GatherND Gelu Gemm GlobalAveragePool GlobalLpPool"
                  + " GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization"
                  + " HammingWindow HannWindow HardSigmoid HardSwish Hardmax Identity"
                  + " InstanceNormalization IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Less"
                  + " LessOrEqual Log LogSoftmax LpNormalization LpPool MatMul MatMulInteger Max"
                  + " MaxPool MaxRoiPool MaxUnpool Mean MeanVarianceNormalization MelWeightMatrix"
                  + " Min Mish Mod Mul Neg NonMaxSuppression NonZero Not OneHot Or PRelu Pad Pow"
                  + " QLinearConv QLinearMatMul QuantizeLinear RMSNormalization RNN Range"
                  + " Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean"
                  + " ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize"
                  + " ReverseSequence RoiAlign RotaryEmbedding Round STFT Scatter ScatterElements"
                  + " ScatterND Selu Shape Shrink Sigmoid Sign Sin Sinh Size Slice Softmax Softplus"
                  + " Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum Swish Tan Tanh"
                  + " ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze Upsample Where Xor")
              .split(" "));

  /** What these take as a constant sizes their output. */
  private static final Set<String> SIZED =
      Set.of("ConstantOfShape", "Expand", "OneHot", "Range", "Resize", "Tile", "Upsample");

  private static final Set<String> SIZES =
      Set.of(
          "pads",
          "strides",
          "dilations",
          "kernel_shape",
          "output_padding",
          "output_shape",
          "sizes");

  /** More numbers than this take more memory than a backbone needs. */
  private static final BigInteger MOST_NUMBERS = BigInteger.ONE.shiftLeft(28);

  private static final int LARGEST_SIZE = 1 << 16;
  private static final int MOST_NODES = 1 << 17;

  /** Bytes of a number, by its type. */
  private static final Map<Integer, Integer> WIDTHS =
      Map.ofEntries(
          Map.entry(TensorProto.DataType.FLOAT_VALUE, 4),
          Map.entry(TensorProto.DataType.UINT8_VALUE, 1),
          Map.entry(TensorProto.DataType.INT8_VALUE, 1),
          Map.entry(TensorProto.DataType.UINT16_VALUE, 2),
          Map.entry(TensorProto.DataType.INT16_VALUE, 2),
          Map.entry(TensorProto.DataType.INT32_VALUE, 4),
          Map.entry(TensorProto.DataType.INT64_VALUE, 8),
          Map.entry(TensorProto.DataType.BOOL_VALUE, 1),
          Map.entry(TensorProto.DataType.FLOAT16_VALUE, 2),
          Map.entry(TensorProto.DataType.BFLOAT16_VALUE, 2),
          Map.entry(TensorProto.DataType.DOUBLE_VALUE, 8),
          Map.entry(TensorProto.DataType.UINT32_VALUE, 4),
          Map.entry(TensorProto.DataType.UINT64_VALUE, 8));

  private final Map<String, TensorProto> constants = new HashMap<>();
  private final Set<String> known = new HashSet<>();

  private OnnxRules() {}

  /**
   * Fails unless a graph keeps to the rules.
   *
   * @param graph the graph, with all its weights in it
   * @param input the name of its input
   */
  static void check(GraphProto graph, String input) throws IOException {
    new OnnxRules().checkAll(graph, input);
  }

  private void checkAll(GraphProto graph, String input) throws IOException {
    require(graph.getSparseInitializerCount() == 0, "expected dense weights, got sparse ones");
    require(
        graph.getNodeCount() <= MOST_NODES,
        "expected at most %s nodes, got %s",
        MOST_NODES,
        graph.getNodeCount());
    known.add(input);
    for (TensorProto tensor : graph.getInitializerList()) {
      define(tensor.getName());
      checkTensor(tensor, tensor.getName());
      constants.put(tensor.getName(), tensor);
    }
    for (NodeProto node : graph.getNodeList()) {
      checkNode(node);
    }
    for (ValueInfoProto output : graph.getOutputList()) {
      require(
          known.contains(output.getName()),
          "expected outputs that are computed, got %s",
          CheckedGraph.quoted(output.getName()));
    }
  }

  private void checkNode(NodeProto node) throws IOException {
    String domain = node.getDomain();
    require(
        domain.isEmpty() || domain.equals("ai.onnx"),
        "expected operators of the domain ai.onnx, got %s of %s",
        CheckedGraph.quoted(node.getOpType()),
        CheckedGraph.quoted(domain));
    require(
        OPERATORS.contains(node.getOpType()),
        "expected operators of ONNX without control flow, chance and texts, got %s",
        CheckedGraph.quoted(node.getOpType()));
    for (String name : node.getInputList()) {
      require(
          name.isEmpty() || known.contains(name),
          "expected nodes in an order in which none leads back, got %s before it is computed",
          CheckedGraph.quoted(name));
    }
    for (AttributeProto attribute : node.getAttributeList()) {
      checkAttribute(node, attribute);
    }
    if (SIZED.contains(node.getOpType())) {
      for (String name : node.getInputList()) {
        checkSizes(node, constants.get(name));
      }
    }
    for (String name : node.getOutputList()) {
      if (!name.isEmpty()) {
        define(name);
      }
    }
  }

  private void define(String name) throws IOException {
    require(known.add(name), "expected each value once, got two of %s", CheckedGraph.quoted(name));
  }

  private void checkAttribute(NodeProto node, AttributeProto attribute) throws IOException {
    String place = node.getOpType() + "." + attribute.getName();
    require(
        !attribute.hasG()
            && attribute.getGraphsCount() == 0
            && !attribute.hasSparseTensor()
            && attribute.getSparseTensorsCount() == 0
            && attribute.getTensorsCount() == 0
            && attribute.getRefAttrName().isEmpty(),
        "expected numbers, texts and a tensor as attributes, got something else as %s",
        CheckedGraph.quoted(place));
    if (attribute.hasT()) {
      checkTensor(attribute.getT(), place);
      if (node.getOpType().equals("Constant") && node.getOutputCount() == 1) {
        constants.put(node.getOutput(0), attribute.getT());
      }
    }
    if (SIZES.contains(attribute.getName())) {
      for (long size : attribute.getIntsList()) {
        require(
            Math.abs(size) <= LARGEST_SIZE && size != Long.MIN_VALUE,
            "expected %s of at most %s, got %s",
            CheckedGraph.quoted(place),
            LARGEST_SIZE,
            size);
      }
    }
  }

  /** Fails if the product of some integers, such as a shape, is too large. */
  private static void checkSizes(NodeProto node, TensorProto sizes) throws IOException {
    if (sizes == null || sizes.getDataType() != TensorProto.DataType.INT64_VALUE) {
      return;
    }
    BigInteger product = BigInteger.ONE;
    for (long size : longs(sizes)) {
      product = product.multiply(BigInteger.valueOf(size).abs().max(BigInteger.ONE));
    }
    require(
        product.compareTo(MOST_NUMBERS) <= 0,
        "expected %s of at most %s numbers, got %s",
        node.getOpType(),
        MOST_NUMBERS,
        product);
  }

  private static long[] longs(TensorProto tensor) {
    ByteString raw = tensor.getRawData();
    if (raw.isEmpty()) {
      return tensor.getInt64DataList().stream().mapToLong(Long::longValue).toArray();
    }
    long[] numbers = new long[Math.min(64, raw.size() / Long.BYTES)]; // no shape has more
    raw.asReadOnlyByteBuffer().order(java.nio.ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(numbers);
    return numbers;
  }

  private static void checkTensor(TensorProto tensor, String name) throws IOException {
    Integer width = WIDTHS.get(tensor.getDataType());
    require(
        width != null,
        "expected numbers as %s, got the type %s of ONNX",
        CheckedGraph.quoted(name),
        tensor.getDataType());
    require(
        tensor.getDataLocation() == TensorProto.DataLocation.DEFAULT
            && tensor.getExternalDataCount() == 0,
        "expected the numbers of %s in the file itself, got a reference to another file",
        CheckedGraph.quoted(name));
    BigInteger numbers = numbers(tensor, name);
    long there =
        tensor.getRawData().isEmpty() ? listed(tensor) : tensor.getRawData().size() / width;
    boolean isWhole = tensor.getRawData().size() % width == 0;
    require(
        isWhole && numbers.equals(BigInteger.valueOf(there)),
        "expected %s numbers as %s, got %s",
        numbers,
        CheckedGraph.quoted(name),
        isWhole ? there : "a part of one");
  }

  /** How many numbers a tensor has by its shape. */
  static BigInteger numbers(TensorProto tensor, String name) throws IOException {
    List<Long> dims = tensor.getDimsList();
    require(
        dims.stream().allMatch(size -> size >= 0) && dims.size() <= 32,
        "expected a shape for %s, got %s",
        CheckedGraph.quoted(name),
        Arrays.toString(dims.stream().limit(33).toArray()));
    return dims.stream().map(BigInteger::valueOf).reduce(BigInteger.ONE, BigInteger::multiply);
  }

  /** How many numbers stand in the field for their type. */
  private static long listed(TensorProto tensor) {
    switch (tensor.getDataType()) {
      case TensorProto.DataType.FLOAT_VALUE:
        return tensor.getFloatDataCount();
      case TensorProto.DataType.DOUBLE_VALUE:
        return tensor.getDoubleDataCount();
      case TensorProto.DataType.INT64_VALUE:
        return tensor.getInt64DataCount();
      case TensorProto.DataType.UINT32_VALUE:
      case TensorProto.DataType.UINT64_VALUE:
        return tensor.getUint64DataCount();
      default:
        return tensor.getInt32DataCount();
    }
  }

  static void require(boolean holds, String format, Object... values) throws IOException {
    if (!holds) {
      throw new IOException(String.format(format, values));
    }
  }
}
