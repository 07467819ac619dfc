/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.OperatorSetIdProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import io.github.spd4j.testing.Generator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

/** Files that were made to harm; none of them reaches ONNX Runtime. */
class OnnxRulesTest {

  private static final Path SMALL =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/onnx/resnet.onnx");

  private static NodeProto.Builder node(String operator, String input, String output) {
    return NodeProto.newBuilder().setOpType(operator).addInput(input).addOutput(output);
  }

  private static TensorProto.Builder tensor(String name, long... shape) {
    TensorProto.Builder tensor =
        TensorProto.newBuilder().setName(name).setDataType(TensorProto.DataType.INT64_VALUE);
    for (long size : shape) {
      tensor.addDims(size);
    }
    return tensor;
  }

  /** A graph that hands its images on, changed. */
  private static ModelProto model(Consumer<GraphProto.Builder> change) {
    ValueInfoProto.Builder input = ValueInfoProto.newBuilder().setName("x");
    input.getTypeBuilder().getTensorTypeBuilder().setElemType(TensorProto.DataType.FLOAT_VALUE);
    for (long size : new long[] {0, 3, 0, 0}) {
      input
          .getTypeBuilder()
          .getTensorTypeBuilder()
          .getShapeBuilder()
          .addDim(
              size == 0
                  ? ai.onnx.proto.OnnxMl.TensorShapeProto.Dimension.newBuilder().setDimParam("n")
                  : ai.onnx.proto.OnnxMl.TensorShapeProto.Dimension.newBuilder().setDimValue(size));
    }
    GraphProto.Builder graph =
        GraphProto.newBuilder()
            .setName("g")
            .addInput(input)
            .addNode(node("Relu", "x", "y"))
            .addOutput(ValueInfoProto.newBuilder().setName("y"));
    change.accept(graph);
    return ModelProto.newBuilder()
        .setIrVersion(8)
        .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(17))
        .setGraph(graph)
        .build();
  }

  private static void assertRefused(Consumer<GraphProto.Builder> change, String reason) {
    assertThatThrownBy(() -> CheckedGraph.read(model(change).toByteArray()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(reason)
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n").hasSizeLessThan(300));
  }

  @Test
  void aSoundGraphIsComputed() throws IOException {
    CheckedGraph graph = CheckedGraph.read(model(g -> {}).toByteArray());
    try (OnnxSession session = new OnnxSession(graph.upTo(List.of("y")))) {
      assertThat(session.run(Nd4j.ones(DataType.FLOAT, 2, 3, 4, 5)).get(0).shape())
          .containsExactly(2, 3, 4, 5);
    }
  }

  @Test
  void operatorsThatAreNotKnownAreRefused() {
    assertRefused(g -> g.setNode(0, node("Evil", "x", "y")), "got \"Evil\"");
    assertRefused(g -> g.setNode(0, node("If", "x", "y")), "got \"If\"");
    assertRefused(g -> g.setNode(0, node("Loop", "x", "y")), "got \"Loop\"");
    assertRefused(g -> g.setNode(0, node("RandomNormalLike", "x", "y")), "without control flow");
    assertRefused(
        g -> g.setNode(0, node("Relu", "x", "y").setDomain("com.evil\n")), "of \"com.evil?\"");
    assertRefused(
        g -> g.setNode(0, node("FusedConv", "x", "y").setDomain("com.microsoft")),
        "of the domain ai.onnx");
  }

  @Test
  void cyclesAreRefused() {
    assertRefused(g -> g.setNode(0, node("Add", "x", "y").addInput("y")), "none leads back");
    assertRefused(
        g -> g.setNode(0, node("Add", "x", "y").addInput("z")).addNode(node("Relu", "y", "z")),
        "\"z\" before it is computed");
    assertRefused(g -> g.addNode(node("Relu", "x", "y")), "two of \"y\"");
    assertRefused(g -> g.addNode(node("Relu", "y", "x")), "two of \"x\"");
  }

  @Test
  void outputsAreComputed() {
    assertRefused(g -> g.setOutput(0, ValueInfoProto.newBuilder().setName("z")), "got \"z\"");
  }

  /** As those of others are, but for what goes in. */
  @Test
  void ownFilesKeepToTheRules(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("own.onnx");
    CheckedGraph.requireRules(Files.write(file, model(g -> {}).toByteArray()));
    Files.write(file, model(g -> g.setNode(0, node("Evil", "x", "y"))).toByteArray());
    assertThatThrownBy(() -> CheckedGraph.requireRules(file)).hasMessageContaining("got \"Evil\"");
  }

  @Test
  void sizesAreThoseOfTheirShapes() {
    assertRefused(g -> g.addInitializer(tensor("w", 5)), "expected 5 numbers as \"w\", got 0");
    assertRefused(
        g -> g.addInitializer(tensor("w", 1L << 40, 1L << 40)),
        "expected 1208925819614629174706176 numbers");
    assertRefused(g -> g.addInitializer(tensor("w", -1)), "expected a shape for \"w\"");
    assertRefused(
        g -> g.addInitializer(tensor("w", 1).setDataType(TensorProto.DataType.STRING_VALUE)),
        "the type 8 of ONNX");
    assertRefused(g -> g.addInitializer(tensor("w", 1).setDataType(99)), "the type 99 of ONNX");
    assertRefused(
        g -> g.addInitializer(tensor("w", 1).setDataLocation(TensorProto.DataLocation.EXTERNAL)),
        "a reference to another file");
  }

  @Test
  void memoryBeyondMeasureIsRefused() {
    assertRefused(
        g ->
            g.addInitializer(tensor("w", 2).addInt64Data(1 << 20).addInt64Data(1 << 20))
                .addNode(node("ConstantOfShape", "w", "z")),
        "ConstantOfShape of at most 268435456 numbers");
    AttributeProto.Builder value =
        AttributeProto.newBuilder()
            .setName("value")
            .setType(AttributeProto.AttributeType.TENSOR)
            .setT(tensor("", 1).addInt64Data(Long.MIN_VALUE));
    assertRefused(
        g ->
            g.addNode(
                    NodeProto.newBuilder().setOpType("Constant").addOutput("w").addAttribute(value))
                .addNode(node("Tile", "x", "z").addInput("w")),
        "Tile of at most");
    AttributeProto.Builder pads =
        AttributeProto.newBuilder()
            .setName("pads")
            .setType(AttributeProto.AttributeType.INTS)
            .addInts(1 << 30);
    assertRefused(
        g -> g.setNode(0, node("MaxPool", "x", "y").addAttribute(pads)), "\"MaxPool.pads\"");
  }

  @Test
  void graphsWithinGraphsAreRefused() {
    AttributeProto.Builder body =
        AttributeProto.newBuilder()
            .setName("body")
            .setType(AttributeProto.AttributeType.GRAPH)
            .setG(GraphProto.newBuilder().setName("inner"));
    assertRefused(g -> g.setNode(0, node("Relu", "x", "y").addAttribute(body)), "\"Relu.body\"");
  }

  @Test
  void otherInputsAreRefused() {
    assertRefused(
        g -> g.addInput(ValueInfoProto.newBuilder().setName("more")), "expected one input");
    assertRefused(GraphProto.Builder::clearInput, "expected one input");
    assertRefused(
        g ->
            g.getInputBuilder(0)
                .getTypeBuilder()
                .getTensorTypeBuilder()
                .setElemType(TensorProto.DataType.FLOAT16_VALUE),
        "expected an input of floats [N, 3, H, W]");
    assertRefused(
        g ->
            g.getInputBuilder(0)
                .getTypeBuilder()
                .getTensorTypeBuilder()
                .getShapeBuilder()
                .getDimBuilder(1)
                .setDimValue(4),
        "[\"n\", 4, \"n\", \"n\"]");
    assertRefused(GraphProto.Builder::clearNode, "got none");
  }

  @Test
  void otherBytesAreRefused() {
    for (byte[] bytes : new byte[][] {{}, {1, 2, 3}, "PK\3\4 something else".getBytes()}) {
      assertThatThrownBy(() -> CheckedGraph.read(bytes))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("expected the content of an ONNX file");
    }
  }

  /** ONNX Runtime sees what is left, and refuses or computes it. */
  @Test
  void damageIsRefusedOrComputed() throws IOException {
    byte[] sound = Files.readAllBytes(SMALL);
    Generator.ONNX.each(
        0.1,
        seed -> {
          Random random = new Random(seed);
          byte[] bytes = sound.clone();
          int changes = 1 + random.nextInt(4);
          // Most of the file is weights, to which anything may happen.
          int most = random.nextBoolean() ? bytes.length : 6000;
          for (int i = 0; i < changes; i++) {
            bytes[random.nextInt(most)] = (byte) random.nextInt();
          }
          boolean whole = random.nextInt(5) > 0;
          return !isComputed(whole ? bytes : Arrays.copyOf(bytes, random.nextInt(bytes.length)));
        });
  }

  private static boolean isComputed(byte[] bytes) {
    try {
      CheckedGraph graph = CheckedGraph.read(bytes);
      try (OnnxSession session = new OnnxSession(graph.upTo(graph.outputs()))) {
        session.run(Nd4j.ones(DataType.FLOAT, 1, 3, 64, 64));
        return true;
      }
    } catch (IOException | IllegalArgumentException e) {
      assertThat(e.getMessage()).isNotBlank().hasSizeLessThan(2000);
      assertThat(e.getMessage().lines()).hasSize(1);
      return false;
    }
  }
}
