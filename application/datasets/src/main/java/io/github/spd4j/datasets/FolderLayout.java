/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Files;
import java.nio.file.Path;

/** {@code <parent>/<class>/<image>}, as DTD ({@code images}) and FMD ({@code image}) have it. */
final class FolderLayout implements Layout {

  private final String parent;

  FolderLayout(String parent) {
    this.parent = parent;
  }

  @Override
  public String wants() {
    return "a folder '" + parent + "' with a folder for each class";
  }

  @Override
  public boolean fits(Path root) {
    return Files.isDirectory(root.resolve(parent)) && !new CubLists().fits(root);
  }

  @Override
  public ImageDataSet read(String title, Path root) {
    ClassFolders folders = new ClassFolders(root, parent);
    for (int label = 0; label < folders.classes().size(); label++) {
      folders.add(parent + "/" + folders.classes().get(label), label);
    }
    return folders.set(title);
  }
}
