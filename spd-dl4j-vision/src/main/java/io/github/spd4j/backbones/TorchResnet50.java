/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import io.github.spd4j.internal.files.SafetensorsFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The ResNet50 of torchvision and timm: without biases, and the stride of a stage in the 3×3
 * convolution.
 */
record TorchResnet50(SafetensorsFile weights) implements Resnet50Graph.Original {

  private static final Pattern NAME = Pattern.compile("conv(\\d)_block(\\d)_(\\d)_(conv|bn)");

  private static final Map<String, String> NAMES =
      Map.of("gamma", "weight", "beta", "bias", "mean", "running_mean", "var", "running_var");

  /** The network with weights from a file of safetensors, whose shapes tell how many maps. */
  static ComputationGraph read(Path file) throws IOException {
    SafetensorsFile weights = SafetensorsFile.open(file);
    int[] filters = Resnet50Graph.FILTERS.clone();
    for (int stage = 0; stage < filters.length; stage++) {
      String layer = "layer" + (stage + 1) + ".";
      filters[stage] = weights.width(layer + "0.conv1.weight", filters[stage]);
      int blocks = Resnet50Graph.BLOCKS[stage];
      if (weights.has(layer + blocks + ".conv1.weight")) {
        throw new IOException(
            String.format("%s: expected %d blocks in %s, got more", file, blocks, layer));
      }
    }
    return Resnet50Graph.read(new TorchResnet50(weights), filters);
  }

  @Override
  public int strided() {
    return 2;
  }

  @Override
  public double epsilon() {
    return 1e-5;
  }

  @Override
  public boolean hasBias() {
    return false;
  }

  @Override
  public INDArray kernel(String layer, long... shape) throws IOException {
    return weights.array(torch(layer) + ".weight", shape);
  }

  @Override
  public INDArray bias(String layer, long length) throws IOException {
    throw new IOException("expected a convolution without bias, got " + layer);
  }

  @Override
  public INDArray vector(String layer, String parameter, long length) throws IOException {
    return weights.array(torch(layer) + "." + NAMES.get(parameter), length);
  }

  /** The name in torchvision and timm. */
  private static String torch(String layer) {
    Matcher parts = NAME.matcher(layer);
    if (!parts.matches()) {
      return layer.equals("conv1_conv") ? "conv1" : "bn1";
    }
    int stage = Integer.parseInt(parts.group(1)) - 1;
    int block = Integer.parseInt(parts.group(2)) - 1;
    boolean isNormalization = parts.group(4).equals("bn");
    String place = "layer" + stage + "." + block + ".";
    return parts.group(3).equals("0")
        ? place + "downsample." + (isNormalization ? 1 : 0)
        : place + parts.group(4) + parts.group(3);
  }
}
