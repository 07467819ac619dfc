/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Path;

/** {@code <class>/sample_<letter>/<image>}, as KTH-TIPS-2b has it. */
final class SampleLayout implements Layout {

  private static final String SAMPLE = "sample_";

  @Override
  public String wants() {
    return "a folder for each class with folders 'sample_a', 'sample_b' and so on";
  }

  @Override
  public boolean fits(Path root) {
    return Folders.in(root).stream()
        .flatMap(name -> Folders.in(root.resolve(name)).stream())
        .anyMatch(name -> name.startsWith(SAMPLE));
  }

  @Override
  public ImageDataSet read(String title, Path root) {
    ClassFolders folders = new ClassFolders(root, "");
    for (int label = 0; label < folders.classes().size(); label++) {
      String name = folders.classes().get(label);
      for (String sample : Folders.in(root.resolve(name))) {
        if (sample.startsWith(SAMPLE)) {
          folders.add(name + "/" + sample, label);
        }
      }
    }
    return folders.set(title);
  }
}
