/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import io.github.spd4j.images.Pixels;
import io.github.spd4j.internal.files.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Folders and images in a folder, sorted by name whatever the file system's order. Images are files
 * whose names end like an image's, and those that are images by their content. Hidden files do not
 * count. Symbolic links are followed.
 */
final class Folders {

  private static final Set<String> SUFFIXES =
      Set.of("jpg", "jpeg", "png", "webp", "tif", "tiff", "bmp", "gif");

  /** What stands for letters that cannot be read. */
  private static final char UNKNOWN = '\ufffd';

  static final String ENCODING_REMEDY =
      "run with a locale of UTF-8, such as LC_ALL=C.UTF-8, or rename it";

  private Folders() {}

  static List<String> in(Path folder) {
    return names(folder, path -> Files.isDirectory(path) && Files.isReadable(path));
  }

  static List<String> imagesIn(Path folder) {
    return names(folder, path -> isImage(path) && !Files.isDirectory(path));
  }

  /** Where a folder is, links followed. */
  static Path real(Path folder) {
    try {
      return folder.toRealPath();
    } catch (IOException e) {
      throw new DataSetException(folder + ": cannot be read: " + Reason.of(e), e);
    }
  }

  static boolean isImage(Path path) {
    String name = path.getFileName().toString().toLowerCase(Locale.ROOT);
    boolean named = SUFFIXES.contains(name.substring(name.lastIndexOf('.') + 1));
    return named && name.contains(".") || Pixels.isImage(path);
  }

  /**
   * What lies beside the images of a set and is none of them, by its place below the root; and what
   * lies beside their folders and may have been meant to be one.
   */
  static List<String> besides(ImageDataSet set) {
    Set<Path> known = new HashSet<>();
    Set<Path> folders = new TreeSet<>();
    for (ImageFile image : set.images()) {
      Path folder = image.path().getParent();
      folders.add(folder);
      for (Path path = image.path(); path != null && known.add(path); path = path.getParent()) {}
    }
    List<String> others = new ArrayList<>();
    for (Path folder : folders) {
      for (String name : names(folder, path -> !known.contains(path))) {
        others.add(set.root().relativize(folder.resolve(name)).toString());
      }
    }
    folders.stream()
        .map(Path::getParent)
        .filter(parent -> parent.startsWith(set.root()) && !folders.contains(parent))
        .distinct()
        .flatMap(parent -> all(parent).stream())
        .filter(path -> !known.contains(path) && isLost(path))
        .forEach(path -> others.add(set.root().relativize(path).toString()));
    return others;
  }

  /** Whether a user may take it for a folder of images. */
  private static boolean isLost(Path path) {
    boolean hidden = path.getFileName().toString().startsWith(".");
    return Files.isSymbolicLink(path) && !Files.exists(path)
        || Files.isDirectory(path) && !Files.isReadable(path)
        || Files.isDirectory(path) && hidden && !imagesIn(path).isEmpty();
  }

  /** Java cannot find a file again by a name that the system's encoding lacks letters for. */
  private static String name(Path path) {
    String name = path.getFileName().toString();
    if (name.indexOf(UNKNOWN) >= 0) {
      throw new DataSetException(
          path + ": its name has letters that the locale has not; " + ENCODING_REMEDY);
    }
    return name;
  }

  private static List<String> names(Path folder, Predicate<Path> which) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    return all(folder).stream()
        .filter(which)
        .map(Folders::name)
        .filter(name -> !name.startsWith("."))
        .sorted()
        .toList();
  }

  private static List<Path> all(Path folder) {
    try (Stream<Path> paths = Files.list(folder)) {
      return paths.sorted().toList();
    } catch (IOException e) {
      throw new DataSetException(folder + ": cannot be listed: " + Reason.of(e), e);
    }
  }
}
