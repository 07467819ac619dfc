/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.OperatorSetIdProto;
import ai.onnx.proto.OnnxMl.StringStringEntryProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.TensorShapeProto.Dimension;
import ai.onnx.proto.OnnxMl.TypeProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.UnsafeByteOperations;
import io.github.spd4j.internal.models.ModelArchive;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The graph of an ONNX file that takes images, checked by {@link OnnxRules}. */
public final class CheckedGraph {

  /** A version of the format that ONNX Runtime reads; what newer ones added is refused here. */
  private static final int FORMAT = 8;

  private static final int COLOURS = 3;

  /** Of weights in other files, too; an array cannot have many more. */
  private static final long MOST_BYTES = 2_000_000_000;

  private final GraphProto graph;
  private final List<OperatorSetIdProto> versions;
  private final ValueInfoProto input;

  private CheckedGraph(GraphProto graph, List<OperatorSetIdProto> versions, ValueInfoProto input) {
    this.graph = graph;
    this.versions = versions;
    this.input = input;
  }

  /**
   * Reads a file.
   *
   * @param file the file, whose weights may lie in other files of its folder
   * @return its graph
   * @throws IOException if there is none, it is damaged, not safe, or takes no images
   */
  public static CheckedGraph read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException("expected an ONNX file, got " + file);
    }
    try {
      requireSize(Files.size(file));
      Path folder = file.toAbsolutePath().getParent();
      ModelProto model = parsed(Files.readAllBytes(file));
      return checked(withWeights(model.getGraph(), folder), model);
    } catch (IOException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  /**
   * Reads the bytes of a file that stands by itself.
   *
   * @param bytes all of it, not to be changed later
   * @return its graph
   * @throws IOException if it is damaged, not safe, or takes no images
   */
  public static CheckedGraph read(byte[] bytes) throws IOException {
    ModelProto model = parsed(bytes);
    return checked(model.getGraph(), model);
  }

  /**
   * Compares a file that this library wrote with the rules.
   *
   * @param file the file, which stands by itself
   * @throws IOException if it breaks one, or cannot be read
   */
  public static void requireRules(Path file) throws IOException {
    GraphProto graph = parsed(Files.readAllBytes(file)).getGraph();
    OnnxRules.require(
        graph.getInputCount() == 1, "expected one input, got %s", graph.getInputCount());
    OnnxRules.check(graph, graph.getInput(0).getName());
  }

  private static ModelProto parsed(byte[] bytes) throws IOException {
    try {
      CodedInputStream in = UnsafeByteOperations.unsafeWrap(bytes).newCodedInput();
      in.enableAliasing(true); // weights stay where they are
      return ModelProto.parseFrom(in);
    } catch (InvalidProtocolBufferException e) {
      throw new IOException("expected the content of an ONNX file, got other bytes", e);
    }
  }

  private static void requireSize(long bytes) throws IOException {
    OnnxRules.require(
        bytes <= MOST_BYTES,
        "expected a file with weights of at most %s bytes, got %s",
        MOST_BYTES,
        bytes);
  }

  private static CheckedGraph checked(GraphProto graph, ModelProto model) throws IOException {
    OnnxRules.require(graph.getNodeCount() > 0, "expected the content of an ONNX file, got none");
    ValueInfoProto input = imageInput(graph);
    OnnxRules.check(graph, input.getName());
    List<OperatorSetIdProto> versions =
        model.getOpsetImportList().stream()
            .filter(set -> set.getDomain().isEmpty() || set.getDomain().equals("ai.onnx"))
            .toList();
    OnnxRules.require(
        !versions.isEmpty(), "expected operators of the domain ai.onnx, got none imported");
    return new CheckedGraph(graph, versions.subList(0, 1), input);
  }

  private static ValueInfoProto imageInput(GraphProto graph) throws IOException {
    Set<String> weights = new HashSet<>();
    graph.getInitializerList().forEach(tensor -> weights.add(tensor.getName()));
    List<ValueInfoProto> inputs =
        graph.getInputList().stream().filter(one -> !weights.contains(one.getName())).toList();
    OnnxRules.require(
        inputs.size() == 1,
        "expected one input, for images, got %s",
        quoted(inputs.stream().map(ValueInfoProto::getName).toList().toString()));
    TypeProto.Tensor type = inputs.get(0).getType().getTensorType();
    List<Dimension> shape = type.getShape().getDimList();
    boolean takesImages =
        type.getElemType() == TensorProto.DataType.FLOAT_VALUE
            && shape.size() == 4
            && (size(shape.get(0)) <= 1)
            && (size(shape.get(1)) == 0 || size(shape.get(1)) == COLOURS);
    OnnxRules.require(
        takesImages,
        "expected an input of floats [N, 3, H, W], with N free or 1, got %s of the type %s",
        shape.stream()
            .map(one -> one.hasDimValue() ? "" + one.getDimValue() : quoted(one.getDimParam()))
            .toList(),
        type.getElemType());
    return inputs.get(0);
  }

  /** Zero if it is free. */
  private static long size(Dimension dimension) {
    return dimension.hasDimValue() ? Math.max(0, dimension.getDimValue()) : 0;
  }

  private static GraphProto withWeights(GraphProto graph, Path folder) throws IOException {
    GraphProto.Builder filled = graph.toBuilder();
    long total = 0;
    for (int i = 0; i < graph.getInitializerCount(); i++) {
      TensorProto tensor = graph.getInitializer(i);
      if (tensor.getDataLocation() == TensorProto.DataLocation.EXTERNAL) {
        ByteString weights = weights(tensor, folder, MOST_BYTES - total);
        total += weights.size();
        filled.setInitializer(
            i,
            tensor.toBuilder()
                .clearExternalData()
                .setDataLocation(TensorProto.DataLocation.DEFAULT)
                .setRawData(weights));
      }
    }
    return filled.build();
  }

  /** Lengths are compared with the shape and with the file before anything is read. */
  private static ByteString weights(TensorProto tensor, Path folder, long most) throws IOException {
    String name = quoted(tensor.getName());
    String place = entry(tensor, "location", "");
    OnnxRules.require(
        place.matches("[^/\\\\:\\p{Cntrl}]+") && !place.matches("\\.+"),
        "expected the weights of %s in a file beside it, got %s",
        name,
        quoted(place));
    Path file = folder.resolve(place);
    OnnxRules.require(
        Files.isRegularFile(file), "expected the weights of %s in %s, got none", name, file);
    BigInteger numbers = OnnxRules.numbers(tensor, tensor.getName());
    try {
      long offset = Long.parseLong(entry(tensor, "offset", "0"));
      long there = Math.max(0, Files.size(file) - Math.max(0, offset));
      long length = Long.parseLong(entry(tensor, "length", String.valueOf(there)));
      OnnxRules.require(
          offset >= 0
              && length >= 0
              && length <= there
              && length <= most
              && numbers.multiply(BigInteger.valueOf(8)).compareTo(BigInteger.valueOf(length)) >= 0,
          "expected %s numbers of %s in %s, got %s bytes from %s",
          numbers,
          name,
          file,
          length,
          offset);
      byte[] bytes = new byte[(int) length];
      try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
        in.seek(offset);
        in.readFully(bytes);
      }
      return UnsafeByteOperations.unsafeWrap(bytes);
    } catch (NumberFormatException e) {
      throw new IOException("expected offset and length of " + name + ", got no numbers", e);
    }
  }

  private static String entry(TensorProto tensor, String key, String otherwise) {
    return tensor.getExternalDataList().stream()
        .filter(one -> one.getKey().equals(key))
        .map(StringStringEntryProto::getValue)
        .findFirst()
        .orElse(otherwise);
  }

  /**
   * The size that images must have.
   *
   * @return height and width; 0 where any will do
   */
  public int[] size() {
    List<Dimension> shape = input.getType().getTensorType().getShape().getDimList();
    return new int[] {(int) size(shape.get(2)), (int) size(shape.get(3))};
  }

  /**
   * Whether it takes one image at a time.
   *
   * @return false if it takes any number
   */
  public boolean takesOne() {
    return size(input.getType().getTensorType().getShape().getDim(0)) == 1;
  }

  /**
   * What it puts out.
   *
   * @return the names of its outputs
   */
  public List<String> outputs() {
    return graph.getOutputList().stream().map(ValueInfoProto::getName).toList();
  }

  /**
   * All that its nodes compute.
   *
   * @return names, each after those of its inputs
   */
  public Set<String> values() {
    Set<String> names = new LinkedHashSet<>();
    graph.getNodeList().forEach(node -> names.addAll(node.getOutputList()));
    names.remove("");
    return names;
  }

  /**
   * The beginning of the graph as a file that stands by itself.
   *
   * @param ends the values that are put out, some of {@link #values}
   * @return a file with nothing but what they depend on
   */
  public byte[] upTo(List<String> ends) {
    Set<String> needed = new HashSet<>(ends);
    List<NodeProto> kept = new ArrayList<>();
    for (int i = graph.getNodeCount() - 1; i >= 0; i--) {
      NodeProto node = graph.getNode(i);
      if (node.getOutputList().stream().anyMatch(needed::contains)) {
        needed.addAll(node.getInputList());
        kept.add(node.toBuilder().clearDocString().build());
      }
    }
    Collections.reverse(kept);
    GraphProto.Builder part = GraphProto.newBuilder().setName("backbone").addAllNode(kept);
    graph.getInitializerList().stream()
        .filter(tensor -> needed.contains(tensor.getName()))
        .forEach(part::addInitializer);
    part.addInput(input);
    ends.forEach(end -> part.addOutput(output(end)));
    return ModelProto.newBuilder()
        .setIrVersion(FORMAT)
        .setProducerName("spd4j")
        .addAllOpsetImport(versions)
        .setGraph(part)
        .build()
        .toByteArray();
  }

  /** The version of its operators. */
  long version() {
    return versions.get(0).getVersion();
  }

  /**
   * Adds it to a graph of the same version, where its values get names of their own.
   *
   * @param target what it is added to
   * @param images the value that takes the place of its input
   * @return the value that its only output becomes
   */
  String addTo(OnnxGraph target, String images) {
    Map<String, String> names = new HashMap<>(Map.of("", "", input(), images));
    for (TensorProto tensor : graph.getInitializerList()) {
      String name = target.name(tensor.getName());
      names.put(tensor.getName(), name);
      target.weights(name, content(tensor.toBuilder().setName(name).build()));
    }
    for (NodeProto node : graph.getNodeList()) {
      List<String> inputs = node.getInputList().stream().map(names::get).toList();
      node.getOutputList().forEach(value -> names.computeIfAbsent(value, target::name));
      List<String> outputs = node.getOutputList().stream().map(names::get).toList();
      Map<String, Message.Content> options = new LinkedHashMap<>();
      node.getAttributeList().forEach(one -> options.put(one.getName(), content(one)));
      target.node(node.getOpType(), options, inputs, outputs);
    }
    return names.get(outputs().get(0));
  }

  private static Message.Content content(MessageLite message) {
    return new Message.Content() {
      @Override
      public long size() {
        return message.getSerializedSize();
      }

      @Override
      public void writeTo(OutputStream out) throws IOException {
        message.writeTo(out);
      }
    };
  }

  /** Without a type, which ONNX Runtime infers. */
  private static ValueInfoProto output(String name) {
    return ValueInfoProto.newBuilder().setName(name).build();
  }

  /** The name of the input. */
  String input() {
    return input.getName();
  }

  /**
   * A text from a file for a message.
   *
   * @param text any text
   * @return the text in quotes, short and on one line
   */
  public static String quoted(String text) {
    return ModelArchive.quoted(text);
  }
}
