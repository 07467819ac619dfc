/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/**
 * Folders and images in a folder, sorted by name whatever the file system's order. Hidden files,
 * and files whose names do not end like an image's, do not count. Symbolic links are followed.
 */
final class Folders {

  private static final Set<String> SUFFIXES =
      Arrays.stream(ImageIO.getReaderFileSuffixes())
          .map(suffix -> suffix.toLowerCase(Locale.ROOT))
          .filter(suffix -> !suffix.isEmpty())
          .collect(Collectors.toUnmodifiableSet());

  private Folders() {}

  static List<String> in(Path folder) {
    return names(folder, Files::isDirectory);
  }

  static List<String> imagesIn(Path folder) {
    return names(folder, path -> isImage(path) && !Files.isDirectory(path));
  }

  static boolean isImage(Path path) {
    String name = path.getFileName().toString().toLowerCase(Locale.ROOT);
    return SUFFIXES.stream().anyMatch(suffix -> name.endsWith("." + suffix));
  }

  private static List<String> names(Path folder, Predicate<Path> which) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.list(folder)) {
      return paths
          .filter(which)
          .map(path -> path.getFileName().toString())
          .filter(name -> !name.startsWith("."))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new DataSetException(folder + ": cannot be listed: " + e, e);
    }
  }
}
