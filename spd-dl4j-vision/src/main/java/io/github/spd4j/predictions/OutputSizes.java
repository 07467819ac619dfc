/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import java.io.IOException;
import java.util.Map;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;

/**
 * What a network's layers give for an image. A layer without parameters, such as one that enlarges
 * maps, may ask for more memory than there is in a file of a few bytes.
 */
final class OutputSizes {

  private static final double MOST = 1 << 28;
  private static final int COLOURS = 3;

  private OutputSizes() {}

  /**
   * Refuses a network for whose outputs there is no room.
   *
   * @param network one with one input, for images
   * @param size the height and width of an image
   * @throws IOException if a layer gives more numbers for an image than a gigabyte holds
   */
  static void check(ComputationGraphConfiguration network, int size) throws IOException {
    Map<String, InputType> types;
    try {
      types =
          network
              .clone()
              .getLayerActivationTypes(false, false, InputType.convolutional(size, size, COLOURS));
    } catch (RuntimeException e) {
      return; // the network says what it needs when it is asked
    }
    for (Map.Entry<String, InputType> vertex : types.entrySet()) {
      double numbers = 1;
      for (long length : vertex.getValue().getShape()) {
        numbers *= Math.max(1, length);
      }
      if (numbers > MOST) {
        throw new IOException(
            String.format(
                "expected at most %.0f numbers of each layer for an image, got %.0f of '%s'",
                MOST, numbers, vertex.getKey()));
      }
    }
  }
}
