/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * {@code <class>/<image>}, or {@code train/<class>/<image>} and {@code test/<class>/<image>}. What
 * else lies beside {@code train} and {@code test} is not read. The data set has its folder's name.
 */
final class PlainLayout implements Layout {

  static final String TRAIN = "train";
  static final String TEST = "test";

  @Override
  public String wants() {
    return "a folder of images for each class, or such folders in both 'train' and 'test'";
  }

  @Override
  public boolean fits(Path root) {
    return Stream.of("", TRAIN, TEST)
        .map(root::resolve)
        .anyMatch(
            parent ->
                Folders.in(parent).stream()
                    .anyMatch(name -> !Folders.imagesIn(parent.resolve(name)).isEmpty()));
  }

  @Override
  public ImageDataSet read(String title, Path root) {
    boolean divided = Files.isDirectory(root.resolve(TRAIN));
    if (divided != Files.isDirectory(root.resolve(TEST))) {
      throw new DataSetException(
          root + ": has only one of the folders 'train' and 'test', expected both or neither");
    }
    String name = root.toAbsolutePath().normalize().getFileName().toString();
    return divided ? read(name, root, TRAIN, TEST) : read(name, root, "");
  }

  private static ImageDataSet read(String name, Path root, String... parents) {
    ClassFolders folders = new ClassFolders(root, parents);
    for (String parent : parents) {
      for (int label = 0; label < folders.classes().size(); label++) {
        String folder = folders.classes().get(label);
        folders.add(parent.isEmpty() ? folder : parent + "/" + folder, label);
      }
    }
    return folders.set(name);
  }
}
