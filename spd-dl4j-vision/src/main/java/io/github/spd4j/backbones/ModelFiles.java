/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import io.github.spd4j.models.SafeModels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.zoo.PretrainedType;
import org.deeplearning4j.zoo.ZooModel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Networks from the zoo and from files of DL4J. */
final class ModelFiles {

  private static final Logger log = LoggerFactory.getLogger(ModelFiles.class);

  private ModelFiles() {}

  /**
   * The zoo's network with ImageNet weights, downloaded unless it was before. If DL4J's store does
   * not answer, the weights come from Keras'.
   *
   * @param kerasSize that of Keras' file
   * @param backbone knows where such a network is cut
   */
  static Backbone pretrained(
      ZooModel<?> zoo,
      KerasStore keras,
      String kerasSize,
      Function<ComputationGraph, Backbone> backbone,
      Function<Path, Backbone> fromKeras) {
    try {
      return backbone.apply((ComputationGraph) zoo.initPretrained(PretrainedType.IMAGENET));
    } catch (IOException | IllegalStateException e) { // the latter for a wrong checksum
      try {
        Backbone net = fromKeras.apply(keras.file());
        log.info("DL4J's store did not answer ({}); the weights are those of Keras", e.toString());
        return net;
      } catch (IOException | UncheckedIOException again) {
        again.addSuppressed(e);
        IOException cause = new IOException(again.getMessage(), again);
        throw new UncheckedIOException(
            String.format(
                "%s (%s) cannot be downloaded (%s)", keras.address(), kerasSize, reason(cause)),
            cause);
      }
    }
  }

  /** Of an unknown host, the message is its name alone. */
  private static String reason(IOException failure) {
    Throwable reason = failure.getCause();
    return reason instanceof UnknownHostException
        ? "no connection to " + reason.getMessage()
        : String.valueOf(reason.getMessage());
  }

  /**
   * A network that DL4J saved.
   *
   * @param file the zip
   * @param name what the network should be
   * @param backbone throws an IllegalArgumentException if it is something else
   */
  static Backbone read(Path file, String name, Function<ComputationGraph, Backbone> backbone) {
    requireFile(file);
    ComputationGraph graph;
    try {
      graph = SafeModels.loadGraph(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "expected a network that DL4J saved, got " + e.getMessage(), e);
    }
    try {
      return backbone.apply(graph);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          String.format("expected a %s in %s: %s", name, file, e.getMessage()), e);
    }
  }

  /** Refuses what is not a file, or must not be read. */
  static void requireFile(Path file) {
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      throw new IllegalArgumentException("expected a file that can be read, got " + file);
    }
  }
}
