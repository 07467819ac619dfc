/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Reads folders whose names are those of the classes. */
final class ClassFolders {

  private final Path root;
  private final List<String> classes;
  private final List<ImageFile> images = new ArrayList<>();

  /**
   * The classes of folders together.
   *
   * @param root the root of the data set
   * @param parents the folders of class folders, below the root; "" is the root itself
   */
  ClassFolders(Path root, String... parents) {
    this.root = root;
    this.classes =
        new ArrayList<>(
            Arrays.stream(parents)
                .flatMap(parent -> Folders.in(root.resolve(parent)).stream())
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  List<String> classes() {
    return classes;
  }

  /** Adds the images of a folder to a class, by the folder's name below the root. */
  void add(String folder, int label) {
    Path path = root.resolve(folder);
    for (String image : Folders.imagesIn(path)) {
      images.add(new ImageFile(path.resolve(image), folder + "/" + image, label));
    }
  }

  ImageDataSet set(String name) {
    if (classes.isEmpty()) {
      throw new DataSetException(root + ": no class folders, expected one for each class");
    }
    return new ImageDataSet(name, root, classes, images);
  }
}
