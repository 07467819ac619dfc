/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.models.SafeModels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.deeplearning4j.nn.graph.ComputationGraph;
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
          String.format(
              "expected the weights of %s from %s, got none; without a connection, use %s",
              name, zoo.pretrainedUrl(PretrainedType.IMAGENET), otherwise),
          e);
    }
  }

  /**
   * A network that DL4J saved.
   *
   * @param file the zip
   * @param name what the network should be
   * @param check throws an IllegalArgumentException if it is something else
   */
  static ComputationGraph read(Path file, String name, Consumer<ComputationGraph> check) {
    requireFile(file);
    ComputationGraph graph;
    try {
      graph = SafeModels.loadGraph(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "expected a network that DL4J saved, got " + e.getMessage(), e);
    }
    try {
      check.accept(graph);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          String.format("expected a %s in %s: %s", name, file, e.getMessage()), e);
    }
    return graph;
  }

  /** Refuses what is not a file, or must not be read. */
  static void requireFile(Path file) {
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      throw new IllegalArgumentException("expected a file that can be read, got " + file);
    }
  }
}
