/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * {@code <class>/<image>}, or {@code train/<class>/<image>} and {@code test/<class>/<image>}, which
 * are then divided so. What else lies beside {@code train} and {@code test} is not read. The data
 * set has its folder's name.
 *
 * @param nested whether images in folders below the class folders belong to the class too
 */
record PlainFolders(boolean nested) implements DataSetFormat {

  private static final String TRAIN = "train";
  private static final String TEST = "test";

  @Override
  public String expects() {
    return "a folder of images for each class, or such folders in both 'train' and 'test'";
  }

  @Override
  public boolean fits(Path root) {
    return Stream.of("", TRAIN, TEST)
        .map(root::resolve)
        .flatMap(parent -> Folders.in(parent).stream().map(parent::resolve))
        .flatMap(folder -> inside(folder, new HashMap<>()).stream().map(folder::resolve))
        .anyMatch(folder -> !Folders.imagesIn(folder).isEmpty());
  }

  @Override
  public ImageDataSet read(String title, Path root) {
    if (isDivided(root) != Files.isDirectory(root.resolve(TEST))) {
      throw new DataSetException(
          root + ": has only one of the folders 'train' and 'test', expected both or neither");
    }
    String name = root.toAbsolutePath().normalize().getFileName().toString();
    List<String> parents = isDivided(root) ? List.of(TRAIN, TEST) : List.of("");
    Map<Path, Path> known = new HashMap<>();
    return ClassFolders.read(name, root, parents, folder -> inside(folder, known));
  }

  /**
   * The folders with images of a class: its own, and if they are nested all below it.
   *
   * @param known what is read already, of this class or another, by where it really is
   */
  private List<String> inside(Path folder, Map<Path, Path> known) {
    if (!Files.isDirectory(folder)) {
      return List.of("");
    }
    List<String> places = new ArrayList<>(List.of(""));
    Path top = Folders.real(folder);
    requireFirst(folder, top, known);
    if (nested) {
      addBelow(folder, "", top, known, places);
    }
    return places;
  }

  /** Refuses links around the class folder, which have no end, and to what is read already. */
  private static void addBelow(
      Path folder, String prefix, Path top, Map<Path, Path> known, List<String> places) {
    for (String name : Folders.in(folder)) {
      Path inner = folder.resolve(name);
      Path real = Folders.real(inner);
      if (top.startsWith(real)) {
        throw new DataSetException(
            inner + ": leads to " + real + ", which it lies in; remove the link");
      }
      requireFirst(inner, real, known);
      places.add(prefix + name);
      addBelow(inner, prefix + name + "/", top, known, places);
    }
  }

  /** Its pictures would count twice, or as two classes. */
  private static void requireFirst(Path folder, Path real, Map<Path, Path> known) {
    Path first = known.putIfAbsent(real, folder);
    if (first != null) {
      throw new DataSetException(
          "%s: leads to %s, as %s does; remove the link".formatted(folder, real, first));
    }
  }

  private static boolean isDivided(Path root) {
    return Files.isDirectory(root.resolve(TRAIN));
  }

  @Override
  public List<Partition> partitions(Splitter splitter) {
    if (!isDivided(splitter.set().root())) {
      return List.of(splitter.thirds());
    }
    return List.of(
        splitter.split(
            "as foldered",
            image -> image.name().startsWith(TRAIN + "/"),
            image -> image.name().startsWith(TEST + "/")));
  }
}
