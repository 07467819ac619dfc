/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * The images of a data set, with their classes. Every class has at least one image.
 *
 * @param name what it is called
 * @param root the folder it lies in, which the images' names start from
 * @param classes the names of the classes, in the order of their numbers
 * @param images the images, in an order that does not depend on the machine
 */
public record ImageDataSet(String name, Path root, List<String> classes, List<ImageFile> images) {

  /**
   * A data set, with copies of the lists.
   *
   * @param name what it is called
   * @param root the folder it lies in
   * @param classes the names of the classes
   * @param images the images
   * @throws DataSetException if a class has no images
   */
  public ImageDataSet {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(root, "root");
    Objects.requireNonNull(images, "images");
    List<String> names = List.copyOf(Objects.requireNonNull(classes, "classes"));
    Strata.of(images, names)
        .forEach(
            (label, own) -> {
              if (own.isEmpty()) {
                throw new DataSetException(
                    "%s: class '%s' has no images, expected at least one"
                        .formatted(root, names.get(label)));
              }
            });
    classes = names;
    images = List.copyOf(images);
  }
}
