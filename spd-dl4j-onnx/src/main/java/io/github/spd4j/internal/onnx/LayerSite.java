/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import java.util.Map;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Where a layer stands.
 *
 * @param graph what its operators are added to
 * @param input the value that it takes
 * @param type what that is
 * @param output what the layer puts out
 * @param params the layer's parameters by name
 */
record LayerSite(
    OnnxGraph graph, String input, InputType type, InputType output, Map<String, INDArray> params) {

  /** Maps, with their size. */
  InputTypeConvolutional maps() {
    if (type instanceof InputTypeConvolutional maps) {
      return maps;
    }
    throw new NotExportable("expected feature maps, got " + type);
  }

  /** Whether the channels of maps are their last axis. */
  boolean channelsLast() {
    return type instanceof InputTypeConvolutional maps && maps.getFormat() == CNN2DFormat.NHWC;
  }

  /** Height and width. */
  long[] size() {
    return new long[] {maps().getHeight(), maps().getWidth()};
  }

  /** The input as [N, C, H, W], which ONNX expects. */
  String channelsFirst() {
    return channelsLast() ? graph.transpose(input, 0, 3, 1, 2) : input;
  }

  /** Puts the channels of an output [N, C, H, W] to where those of the input are. */
  String asInput(String output) {
    return channelsLast() ? graph.transpose(output, 0, 2, 3, 1) : output;
  }

  /** Applies an activation function. */
  String activated(IActivation activation, String x) {
    return Activations.apply(graph, activation, x, output);
  }

  /** A parameter as it is. */
  String param(String name) {
    return graph.constant(params.get(name));
  }

  /** A parameter as a vector. */
  String vector(String name) {
    return vector(params.get(name));
  }

  /** Numbers as a vector. */
  String vector(INDArray numbers) {
    return graph.constant(numbers.dup('c').reshape(numbers.length()));
  }

  /** The sizes of the input without that of the batch. */
  long[] shape() {
    return shape(type);
  }

  /** The sizes of what a type describes, without that of the batch. */
  static long[] shape(InputType type) {
    return type.getShape(false);
  }
}
