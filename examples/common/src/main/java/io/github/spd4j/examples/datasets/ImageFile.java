/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.datasets;

import java.nio.file.Path;
import java.util.Objects;

/** One image of a data set: where it lies and of which class it is. Not read yet. */
public final class ImageFile {

  private final Path path;
  private final String name;
  private final int label;
  private final int banner;

  /**
   * An image.
   *
   * @param path the file
   * @param name its path below the root of the data set, with '/' on every system
   * @param label the number of its class
   */
  public ImageFile(Path path, String name, int label) {
    this(path, name, label, 0);
  }

  ImageFile(Path path, String name, int label, int banner) {
    this.path = Objects.requireNonNull(path, "path");
    this.name = Objects.requireNonNull(name, "name");
    this.label = label;
    this.banner = banner;
  }

  /**
   * The file.
   *
   * @return its path
   */
  public Path path() {
    return path;
  }

  /**
   * The name, the same on every machine.
   *
   * @return the path below the root of the data set, with '/' between its parts
   */
  public String name() {
    return name;
  }

  /**
   * The class.
   *
   * @return its number in the data set's list of classes
   */
  public int label() {
    return label;
  }

  /**
   * How much of the image's bottom is a notice and no picture. {@link FileImages} cuts it off.
   *
   * @return rows of pixels, 0 for most data sets
   */
  public int banner() {
    return banner;
  }

  @Override
  public String toString() {
    return name;
  }
}
