/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.deeplearning4j.zoo.PretrainedType;
import org.deeplearning4j.zoo.ZooModel;

/** Networks from the zoo and from files of DL4J. */
final class ModelFiles {

  private ModelFiles() {}

  /** The zoo's network with ImageNet weights, downloaded unless it was before. */
  static ComputationGraph pretrained(ZooModel<?> zoo, String name, String otherwise) {
    try {
      return (ComputationGraph) zoo.initPretrained(PretrainedType.IMAGENET);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "expected the weights of "
              + name
              + " from "
              + zoo.pretrainedUrl(PretrainedType.IMAGENET)
              + ", got none; without a connection, use "
              + otherwise,
          e);
    }
  }

  /** A network that was saved with {@link ModelSerializer}. */
  static ComputationGraph read(Path file) {
    requireFile(file);
    try {
      return ModelSerializer.restoreComputationGraph(file.toFile(), false);
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(
          "expected a network that DL4J saved, got " + file + ": " + e.getMessage(), e);
    }
  }

  /** Refuses what is not a file, or must not be read. */
  static void requireFile(Path file) {
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      throw new IllegalArgumentException("expected a file that can be read, got " + file);
    }
  }
}
