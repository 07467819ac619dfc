/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.models;

import io.github.spd4j.internal.dl4j.GraphView;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * The configuration of a layer that computes with a file of its own, such as a backbone in ONNX. It
 * stores the file's digest; the file itself is an entry of the model file beside it.
 *
 * <p>Nothing is learnt in such a layer, nor before it.
 */
public interface FileLayer {

  /**
   * Those of a network.
   *
   * @param net the network
   * @return its layers with files, in the order of its configuration
   */
  static List<FileLayer> in(ComputationGraph net) {
    GraphView view = new GraphView(Objects.requireNonNull(net, "net"));
    return view.names().stream()
        .map(view::layer)
        .filter(FileLayer.class::isInstance)
        .map(FileLayer.class::cast)
        .toList();
  }

  /**
   * The SHA-256 of the file.
   *
   * @return 64 hexadecimal digits
   */
  String digest();

  /**
   * The file.
   *
   * @return its bytes, not to be changed
   */
  byte[] file();

  /**
   * The size that images must have.
   *
   * @return height and width; 0 if any will do
   */
  int size();

  /**
   * Gives the layer its file, before a network is made of it. What the file says is not trusted.
   *
   * @param file bytes, which are not copied
   * @throws IOException if they are not of the {@linkplain #digest digest}, or cannot be computed
   *     with
   */
  void attach(byte[] file) throws IOException;
}
