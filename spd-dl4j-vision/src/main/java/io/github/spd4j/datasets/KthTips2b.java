/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Path;
import java.util.List;

/**
 * {@code <class>/sample_<letter>/<image>}. One sample to train on, the others to test on, each
 * sample in turn.
 */
final class KthTips2b implements DataSetFormat {

  @Override
  public String expects() {
    return "a folder for each class with folders 'sample_a', 'sample_b' and so on";
  }

  @Override
  public boolean fits(Path root) {
    return Folders.in(root).stream().anyMatch(name -> !samples(root.resolve(name)).isEmpty());
  }

  @Override
  public ImageDataSet read(String title, Path root) {
    return ClassFolders.read(title, root, List.of(""), KthTips2b::samples);
  }

  private static List<String> samples(Path folder) {
    return Folders.in(folder).stream().filter(name -> name.startsWith("sample_")).toList();
  }

  @Override
  public List<Partition> partitions(Splitter splitter) {
    return splitter.set().images().stream()
        .map(KthTips2b::sample)
        .distinct()
        .sorted()
        .map(sample -> splitter.split(sample, image -> sample(image).equals(sample)))
        .toList();
  }

  private static String sample(ImageFile image) {
    return image.path().getParent().getFileName().toString();
  }
}
