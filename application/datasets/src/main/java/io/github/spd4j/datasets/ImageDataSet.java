/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Path;
import java.util.List;

/** The images of a data set, with their classes. Every class has at least one image. */
public final class ImageDataSet {

  private final String name;
  private final Path root;
  private final List<String> classes;
  private final List<ImageFile> images;

  /**
   * A data set.
   *
   * @param name what it is called
   * @param root the folder it lies in
   * @param classes the names of the classes, in the order of their numbers
   * @param images the images, in an order that does not depend on the machine
   */
  public ImageDataSet(String name, Path root, List<String> classes, List<ImageFile> images) {
    this.name = name;
    this.root = root;
    this.classes = List.copyOf(classes);
    this.images = List.copyOf(images);
    Strata.of(this.images, this.classes.size()).forEach(this::requireSome);
  }

  private void requireSome(int label, List<ImageFile> own) {
    if (own.isEmpty()) {
      throw new DataSetException(
          root + ": class '" + classes.get(label) + "' has no images, expected at least one");
    }
  }

  /**
   * The name.
   *
   * @return what the data set is called
   */
  public String name() {
    return name;
  }

  /**
   * The root.
   *
   * @return the folder that the images' names start from
   */
  public Path root() {
    return root;
  }

  /**
   * The classes.
   *
   * @return their names; the place of each is its number
   */
  public List<String> classes() {
    return classes;
  }

  /**
   * The images.
   *
   * @return all of them
   */
  public List<ImageFile> images() {
    return images;
  }
}
