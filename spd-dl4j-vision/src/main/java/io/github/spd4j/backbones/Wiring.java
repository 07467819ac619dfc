/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which vertices GoogLeNet has, and which feeds which. */
final class Wiring {

  /** What a vertex does. */
  enum Kind {
    /** Convolution and ReLU, with the parameters of the Caffe layer. */
    CONVOLUTION,
    /** A row of zeros below and a column of zeros to the right: see {@link #halve}. */
    PADDING,
    /** Max pooling 3×3, stride 2, no padding. */
    HALVING,
    /** Max pooling 3×3, stride 1, padding 1. */
    POOLING,
    /** Local response normalisation over channels. */
    NORMALISATION,
    /** The inputs, channels one after another. */
    CONCATENATION,
    /** The mean over all positions. */
    AVERAGE,
    /** Dropout, fully connected layer and softmax, with the parameters of the Caffe layer. */
    CLASSIFIER
  }

  /** A vertex: what it does, its name in the Caffe model, and the vertices before it. */
  record Node(Kind kind, String caffeName, String... inputs) {

    /** The name in the graph. */
    String name() {
      return vertexName(caffeName);
    }
  }

  private static final List<Node> NODES = new Wiring().nodes;

  private final List<Node> nodes = new ArrayList<>();

  /** The vertex added last. */
  private String last = GoogLeNet.INPUT;

  private Wiring() {
    add(Kind.CONVOLUTION, "conv1/7x7_s2");
    halve("pool1");
    add(Kind.NORMALISATION, "pool1/norm1");
    add(Kind.CONVOLUTION, "conv2/3x3_reduce");
    add(Kind.CONVOLUTION, "conv2/3x3");
    add(Kind.NORMALISATION, "conv2/norm2");
    halve("pool2");
    List.of("inception_3a", "inception_3b").forEach(this::inception);
    halve("pool3");
    List.of("inception_4a", "inception_4b", "inception_4c", "inception_4d", "inception_4e")
        .forEach(this::inception);
    halve("pool4");
    List.of("inception_5a", "inception_5b").forEach(this::inception);
    add(Kind.AVERAGE, "pool5/7x7_s1");
    add(Kind.CLASSIFIER, "loss3/classifier");
  }

  /** The module of the paper: four branches from the vertex before it, side by side. */
  private void inception(String module) {
    String input = last;
    String plain = add(Kind.CONVOLUTION, module + "/1x1", input);
    add(Kind.CONVOLUTION, module + "/3x3_reduce", input);
    String medium = add(Kind.CONVOLUTION, module + "/3x3");
    add(Kind.CONVOLUTION, module + "/5x5_reduce", input);
    String large = add(Kind.CONVOLUTION, module + "/5x5");
    add(Kind.POOLING, module + "/pool", input);
    String pooled = add(Kind.CONVOLUTION, module + "/pool_proj");
    add(Kind.CONCATENATION, module + "/output", plain, medium, large, pooled);
  }

  /**
   * Max pooling 3×3 with stride 2 that keeps the windows which hang over the edge, as Caffe does.
   * DL4J drops them; with a zero on the far edges it keeps them where the size is even, and where
   * it is odd the zero lies outside of all windows. All inputs come out of a ReLU, so the zero is
   * never the only largest value.
   */
  private void halve(String name) {
    add(Kind.PADDING, name + "/pad");
    add(Kind.HALVING, name + "/3x3_s2");
  }

  private String add(Kind kind, String caffeName) {
    return add(kind, caffeName, last);
  }

  private String add(Kind kind, String caffeName, String... inputs) {
    Node node = new Node(kind, caffeName, inputs);
    nodes.add(node);
    last = node.name();
    return last;
  }

  /**
   * The name in the graph of a Caffe layer. DL4J parts the name of a vertex from that of its
   * parameter by an underscore and takes some keys apart at the first, so no name may hold one.
   */
  static String vertexName(String caffeName) {
    return caffeName.replace('_', '-');
  }

  /** All names, each after those of its inputs. */
  static List<String> names() {
    return NODES.stream().map(Node::name).toList();
  }

  /**
   * A vertex and all that it depends on, each after its inputs.
   *
   * @param lastVertex its name in the graph or in the Caffe model
   * @throws IllegalArgumentException if there is none of that name
   */
  static List<Node> upTo(String lastVertex) {
    String wanted = vertexName(lastVertex);
    if (!names().contains(wanted)) {
      throw new IllegalArgumentException(
          "expected a vertex of GoogLeNet, got \"" + lastVertex + "\"; there are " + names());
    }
    Set<String> needed = new HashSet<>(Set.of(wanted));
    List<Node> result = new ArrayList<>();
    for (int i = NODES.size() - 1; i >= 0; i--) {
      Node node = NODES.get(i);
      if (needed.contains(node.name())) {
        needed.addAll(Arrays.asList(node.inputs()));
        result.add(node);
      }
    }
    Collections.reverse(result);
    return result;
  }
}
