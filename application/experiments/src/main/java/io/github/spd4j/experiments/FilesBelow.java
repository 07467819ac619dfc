/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.internal.files.Reason;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What lies in a folder and below. Links are not followed; what is gone meanwhile is not in it.
 *
 * @param folders the folder itself and those below, by name
 * @param files by name
 * @param unread what cannot be read, and why; the rest is there
 */
public record FilesBelow(List<Path> folders, List<Path> files, List<String> unread) {

  /**
   * Looks through a folder.
   *
   * @param folder any folder
   * @return what is in it
   * @throws UserException if there is no such folder
   */
  public static FilesBelow of(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new UserException(folder + ": no such folder; expected one with runs");
    }
    if (Files.isSymbolicLink(folder)) {
      throw new UserException(
          "%s: expected a folder with runs, got a link to one; name %s"
              .formatted(folder, target(folder)));
    }
    FilesBelow all = new FilesBelow(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    try {
      Files.walkFileTree(folder, all.new Visitor());
    } catch (IOException e) {
      throw new UserException(folder + ": cannot be listed: " + Reason.of(e), e);
    }
    Collections.sort(all.folders);
    Collections.sort(all.files);
    return all;
  }

  private static Path target(Path link) {
    try {
      return link.toRealPath();
    } catch (IOException e) {
      throw new UserException(link + ": cannot be followed: " + Reason.of(e), e);
    }
  }

  private void add(Path path, IOException failure) {
    if (failure != null && !(failure instanceof NoSuchFileException)) {
      unread.add(path + ": " + Reason.of(failure));
    }
  }

  private final class Visitor extends SimpleFileVisitor<Path> {

    @Override
    public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
      folders.add(path);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
      files.add(path);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path path, IOException failure) {
      add(path, failure);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path path, IOException failure) {
      add(path, failure);
      return FileVisitResult.CONTINUE;
    }
  }
}
