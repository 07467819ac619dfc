/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Weight files of GoogLeNet with the true shapes and random values. */
final class SyntheticWeights {

  private static final long SEED = 7;

  /** Inputs, then 1×1, 3×3 reduce, 3×3, 5×5 reduce, 5×5 and pool proj of the paper's table. */
  private static final int[][] MODULES = {
    {192, 64, 96, 128, 16, 32, 32},
    {256, 128, 128, 192, 32, 96, 64},
    {480, 192, 96, 208, 16, 48, 64},
    {512, 160, 112, 224, 24, 64, 64},
    {512, 128, 128, 256, 24, 64, 64},
    {512, 112, 144, 288, 32, 64, 64},
    {528, 256, 160, 320, 32, 128, 128},
    {832, 256, 160, 320, 32, 128, 128},
    {832, 384, 192, 384, 48, 128, 128},
  };

  private static final String[] NAMES = {"3a", "3b", "4a", "4b", "4c", "4d", "4e", "5a", "5b"};

  private final Path folder;
  private final Random random = new Random(SEED);
  private final List<String> manifest = new ArrayList<>();

  private SyntheticWeights(Path folder) {
    this.folder = folder;
  }

  /** Writes the files and their manifest into a folder that exists. */
  static void write(Path folder) throws IOException {
    SyntheticWeights weights = new SyntheticWeights(folder);
    weights.convolution("conv1/7x7_s2", 64, 3, 7, 2);
    weights.convolution("conv2/3x3_reduce", 64, 64, 1, 1);
    weights.convolution("conv2/3x3", 192, 64, 3, 1);
    for (int i = 0; i < MODULES.length; i++) {
      weights.module("inception_" + NAMES[i], MODULES[i]);
    }
    weights.layer("loss3/classifier", "INNERPRODUCT", "1000x1024", 1, 0, 1000, 1024);
    Files.write(folder.resolve(RawWeights.MANIFEST), weights.manifest);
  }

  private void module(String name, int... channels) throws IOException {
    convolution(name + "/1x1", channels[1], channels[0], 1, 1);
    convolution(name + "/3x3_reduce", channels[2], channels[0], 1, 1);
    convolution(name + "/3x3", channels[3], channels[2], 3, 1);
    convolution(name + "/5x5_reduce", channels[4], channels[0], 1, 1);
    convolution(name + "/5x5", channels[5], channels[4], 5, 1);
    convolution(name + "/pool_proj", channels[6], channels[0], 1, 1);
  }

  private void convolution(String name, int outputs, int inputs, int kernel, int stride)
      throws IOException {
    String shape = outputs + "x" + inputs + "x" + kernel + "x" + kernel;
    layer(name, "CONVOLUTION", shape, stride, kernel / 2, outputs, inputs * kernel * kernel);
  }

  private void layer(
      String name, String type, String shape, int stride, int padding, int outputs, int fanIn)
      throws IOException {
    String file = name.replace("/", "__");
    // Weights of this size keep the activations from vanishing or growing on their way.
    write(file + ".W.bin", outputs * fanIn, Math.sqrt(6.0 / fanIn));
    write(file + ".b.bin", outputs, 0.1);
    manifest.add(
        String.join(
            "\t",
            name,
            type,
            shape,
            "stride=" + stride,
            "pad=" + padding,
            file + ".W.bin",
            file + ".b.bin"));
  }

  private void write(String file, int count, double bound) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(count * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) {
      bytes.putFloat((float) (bound * (2 * random.nextFloat() - 1)));
    }
    Files.write(folder.resolve(file), bytes.array());
  }
}
