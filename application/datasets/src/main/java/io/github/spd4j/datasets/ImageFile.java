/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/**
 * One image of a data set: where it lies and of which class it is. Not read yet.
 *
 * <p>It can be sent to another machine, where its URI has to lead to the same file.
 */
public final class ImageFile implements Serializable {

  private static final long serialVersionUID = 1L;

  private final transient Path path;
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

  private Object writeReplace() {
    return new Packed(path.toUri(), name, label, banner);
  }

  /** What is sent. */
  private static final class Packed implements Serializable {
    private static final long serialVersionUID = 1L;

    private final URI place;
    private final String name;
    private final int label;
    private final int banner;

    Packed(URI place, String name, int label, int banner) {
      this.place = place;
      this.name = name;
      this.label = label;
      this.banner = banner;
    }

    private Object readResolve() {
      return new ImageFile(path(place), name, label, banner);
    }

    /** A file system that is not Java's own is found as a service, as {@link FileSystems} does. */
    private static Path path(URI place) {
      if ("file".equals(place.getScheme())) {
        return Path.of(place);
      }
      ClassLoader loader = Thread.currentThread().getContextClassLoader();
      try {
        return FileSystems.newFileSystem(place, Map.of(), loader).provider().getPath(place);
      } catch (IOException e) {
        throw new DataSetException(place + ": cannot be reached: " + e.getMessage(), e);
      }
    }
  }
}
