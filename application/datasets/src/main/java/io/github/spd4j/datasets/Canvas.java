/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import io.github.spd4j.images.Pixels;
import java.io.IOException;

/**
 * Reads the images that views are cut from. The last one is kept: the views of a file are mostly
 * asked for one after the other, and decoding takes far longer than a cut.
 */
final class Canvas {

  private Entry last;

  /** What is kept, and what it is. */
  private static final class Entry {
    final ImageFile file;
    final int size;
    final Pixels pixels;

    Entry(ImageFile file, int size, Pixels pixels) {
      this.file = file;
      this.size = size;
      this.pixels = pixels;
    }
  }

  /** An image in the size from which views of a size are cut. */
  synchronized Pixels of(ImageFile file, Views views, int size) {
    if (last == null || last.file != file || last.size != size) {
      last = new Entry(file, size, views.canvas(read(file), size));
    }
    return last.pixels;
  }

  /** The picture itself, without a banner. */
  static Pixels read(ImageFile file) {
    try {
      Pixels pixels = Pixels.read(file.path());
      int height = pixels.height() - file.banner();
      return file.banner() == 0 || height < 1 ? pixels : pixels.crop(0, 0, height, pixels.width());
    } catch (IOException e) {
      throw new DataSetException(e.getMessage(), e);
    }
  }
}
