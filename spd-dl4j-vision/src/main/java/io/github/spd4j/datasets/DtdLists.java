/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * DTD with the ten divisions in {@code labels}: {@code train1.txt}, {@code val1.txt}, {@code
 * test1.txt} and so on, a third of the images each. The lists train and val are joined, and the
 * validation images are cut from both: that trains on two thirds, as all other protocols do.
 */
final class DtdLists implements DataSetFormat {

  private static final String FOLDER = "images";
  private final DataSetFormat folders = new ClassFolders(FOLDER);

  @Override
  public String expects() {
    return folders.expects() + ", and the lists labels/train1.txt, val1.txt, test1.txt and so on";
  }

  @Override
  public boolean fits(Path root) {
    return folders.fits(root) && Files.isDirectory(root.resolve("labels"));
  }

  @Override
  public ImageDataSet read(String title, Path root) {
    ImageDataSet set = folders.read(title, root);
    for (int split = 1; split <= splits(root); split++) {
      names(root, split, "train", "val", "test"); // a list that is missing fails here, not later
    }
    return set;
  }

  @Override
  public List<Partition> partitions(Splitter splitter) {
    Path root = splitter.set().root();
    return IntStream.rangeClosed(1, splits(root))
        .mapToObj(split -> partition(splitter, root, split))
        .toList();
  }

  private static Partition partition(Splitter splitter, Path root, int split) {
    Set<String> training = names(root, split, "train", "val");
    Set<String> test = names(root, split, "test");
    return splitter.split(
        "split " + split,
        image -> training.contains(image.name()),
        image -> test.contains(image.name()));
  }

  /** The names in lists of a split, below the root, each in one of them. */
  private static Set<String> names(Path root, int split, String... parts) {
    Map<String, ListFile.Line> names = new HashMap<>();
    for (String part : parts) {
      for (ListFile.Line line : new ListFile(list(root, part, split)).lines()) {
        line.requireFirst(name(root, line), names);
      }
    }
    return names.keySet();
  }

  private static String name(Path root, ListFile.Line line) {
    line.file(root.resolve(FOLDER), line.text());
    return FOLDER + "/" + line.text();
  }

  /** How many splits there are; the first one has to be there. */
  private static int splits(Path root) {
    int last = 1;
    while (Files.exists(list(root, "train", last + 1))) {
      last++;
    }
    return last;
  }

  private static Path list(Path root, String part, int split) {
    return root.resolve("labels").resolve(part + split + ".txt");
  }
}
