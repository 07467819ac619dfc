/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;

/** The place after which a backbone is cut, and the feature maps there. */
final class Cut {

  private final String layer;
  private final InputTypeConvolutional maps;
  private final boolean sizeKnown;

  /**
   * A place.
   *
   * @param layer the last layer to be kept
   * @param maps what it puts out
   * @param sizeKnown whether height and width are those of the images to come, or only an example
   */
  Cut(String layer, InputTypeConvolutional maps, boolean sizeKnown) {
    this.layer = layer;
    this.maps = maps;
    this.sizeKnown = sizeKnown;
  }

  String layer() {
    return layer;
  }

  int channels() {
    return Math.toIntExact(maps.getChannels());
  }

  CNN2DFormat format() {
    return maps.getFormat();
  }

  int height() {
    return size(maps.getHeight());
  }

  int width() {
    return size(maps.getWidth());
  }

  private int size(long pixels) {
    if (!sizeKnown) {
      throw new IllegalArgumentException(
          "new fully connected layers need inputType(InputType.convolutional(height, width,"
              + " channels)) on the graft: the backbone does not tell the size of its images");
    }
    return Math.toIntExact(pixels);
  }
}
