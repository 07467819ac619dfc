/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.internal.files.Reason;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.PatternSyntaxException;

/** Finds pictures by what a user writes: files, folders and patterns. */
public final class PicturePaths {

  private PicturePaths() {}

  /**
   * The pictures that some words stand for, each once.
   *
   * @param words files, whatever their names; folders, for all pictures in them and below; or
   *     patterns such as {@code photos/*.jpg}, where {@code **} stands for any folders
   * @return the files in the order of the words, those of one word by name
   * @throws UserException if a folder or a pattern has no picture
   */
  public static List<Path> of(List<String> words) {
    return words.stream().flatMap(word -> of(word).stream()).distinct().toList();
  }

  /**
   * The path that a word stands for.
   *
   * @param word the name of a file or folder
   * @return the path, whether there is anything or not
   * @throws UserException if the locale has no letters for it
   */
  public static Path path(String word) {
    try {
      return Path.of(word);
    } catch (InvalidPathException e) {
      throw new UserException(
          word
              + ": no name that the locale can have;"
              + " run with a locale of UTF-8, such as LC_ALL=C.UTF-8, or rename it",
          e);
    }
  }

  private static List<Path> of(String word) {
    List<Path> found;
    if (isFolder(word)) {
      found = walk(Path.of(word), Integer.MAX_VALUE, ImageFile::isImage);
    } else if (isPattern(word) && !new File(word).exists()) {
      PathMatcher matcher = matcher(word);
      Path start = start(word);
      found = walk(start, depth(word), matcher::matches);
    } else {
      return List.of(path(word));
    }
    if (found.isEmpty()) {
      throw new UserException(word + ": expected pictures, got none");
    }
    return found;
  }

  private static boolean isFolder(String word) {
    return new File(word).isDirectory();
  }

  private static boolean isPattern(String word) {
    return word.matches(".*[*?\\[{].*");
  }

  private static PathMatcher matcher(String pattern) {
    try {
      return FileSystems.getDefault().getPathMatcher("glob:" + pattern);
    } catch (PatternSyntaxException e) {
      throw new UserException(pattern + ": no pattern of file names: " + e.getDescription(), e);
    }
  }

  /** The folder that the pattern lies in: all that comes before the first part with a wildcard. */
  private static Path start(String pattern) {
    int wildcard = pattern.replaceFirst("[*?\\[{].*", "").length();
    int slash = pattern.lastIndexOf('/', wildcard);
    try {
      return Path.of(slash < 0 ? "" : pattern.substring(0, Math.max(1, slash)));
    } catch (InvalidPathException e) {
      throw new UserException(pattern + ": no pattern of file names", e);
    }
  }

  private static int depth(String pattern) {
    int folders = pattern.split("/").length;
    return pattern.contains("**") ? Integer.MAX_VALUE : folders;
  }

  private static List<Path> walk(Path start, int depth, Predicate<Path> which) {
    if (!Files.isDirectory(start)) {
      return List.of();
    }
    List<Path> found = new ArrayList<>();
    try {
      Files.walkFileTree(
          start,
          Set.of(),
          depth,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              if (Files.isRegularFile(file) && which.test(file)) {
                found.add(file);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException reason) {
              found.add(file); // who reads it says why it cannot be read
              return FileVisitResult.CONTINUE;
            }
          });
      return found.stream().sorted().toList();
    } catch (IOException e) {
      throw new UserException(start + ": cannot be listed: " + Reason.of(e), e);
    }
  }
}
