/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import io.github.spd4j.images.Pixels;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;

/**
 * One image of a data set: where it lies and of which class it is. Not read yet.
 *
 * <p>It can be sent to another machine that has the same file, see {@link DistributedFiles}.
 *
 * @param path the file
 * @param name its path below the root of the data set, with '/' on every system
 * @param label the number of its class
 * @param banner how many rows of pixels at its bottom are a notice and no picture, which {@link
 *     FileImages} cuts off; 0 for most data sets
 */
public record ImageFile(Path path, String name, int label, int banner) implements Serializable {

  /**
   * An image without a banner.
   *
   * @param path the file
   * @param name its path below the root of the data set, with '/' on every system
   * @param label the number of its class
   */
  public ImageFile(Path path, String name, int label) {
    this(path, name, label, 0);
  }

  /** The picture itself, without a banner. */
  Pixels pixels() {
    try {
      Pixels pixels = Pixels.read(path);
      int height = pixels.height() - banner;
      return banner == 0 || height < 1 ? pixels : pixels.crop(0, 0, height, pixels.width());
    } catch (IOException e) {
      throw new DataSetException(e.getMessage(), e);
    }
  }

  @Override
  public String toString() {
    return name;
  }

  private Object writeReplace() {
    return new Sent(DistributedFiles.toSend(path), name, label, banner);
  }

  private record Sent(String path, String name, int label, int banner) implements Serializable {

    private Object readResolve() {
      return new ImageFile(DistributedFiles.received(path), name, label, banner);
    }
  }
}
