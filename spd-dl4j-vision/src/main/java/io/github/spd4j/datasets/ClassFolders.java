/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** {@code <parent>/<class>/<image>}, as DTD ({@code images}) and FMD ({@code image}) have it. */
record ClassFolders(String parent) implements DataSetFormat {

  @Override
  public String expects() {
    return "a folder '" + parent + "' with a folder for each class";
  }

  @Override
  public boolean fits(Path root) {
    return Files.isDirectory(root.resolve(parent)) && !new CubLists().fits(root);
  }

  @Override
  public ImageDataSet read(String title, Path root) {
    return read(title, root, List.of(parent), folder -> List.of(""));
  }

  /**
   * Reads class folders.
   *
   * @param parents the folders of class folders, below the root; "" is the root itself
   * @param inside the folders of images in a class folder; "" is the class folder itself
   */
  static ImageDataSet read(
      String title, Path root, List<String> parents, Function<Path, List<String>> inside) {
    List<String> classes =
        parents.stream()
            .flatMap(parent -> Folders.in(root.resolve(parent)).stream())
            .distinct()
            .sorted()
            .toList();
    if (classes.isEmpty()) {
      throw new DataSetException(root + ": no class folders, expected one for each class");
    }
    List<ImageFile> images = new ArrayList<>();
    for (String parent : parents) {
      for (int label = 0; label < classes.size(); label++) {
        String folder = below(parent, classes.get(label));
        for (String part : inside.apply(root.resolve(folder))) {
          String place = below(folder, part);
          for (String image : Folders.imagesIn(root.resolve(place))) {
            String name = below(place, image);
            images.add(new ImageFile(root.resolve(name), name, label));
          }
        }
      }
    }
    return new ImageDataSet(title, root, classes, images);
  }

  private static String below(String folder, String name) {
    return folder.isEmpty() || name.isEmpty() ? folder + name : folder + "/" + name;
  }
}
