/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

/**
 * A layer that is an ONNX graph itself: its operators go into the file of the network around it.
 */
public interface OnnxPart {

  /**
   * The graph.
   *
   * @return a file that {@link CheckedGraph} wrote, with one output; not to be changed
   */
  byte[] file();

  /**
   * Where the numbers of a place lie in the output of the file.
   *
   * @return MAPS, CHANNELS_LAST or TOKENS
   */
  String getLayout();

  /**
   * How many tokens at the beginning stand for no place.
   *
   * @return 0 unless the layout is TOKENS
   */
  int getLeftOut();
}
