/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.train.features.FeatureCache;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/**
 * A run that lies in a folder, finished or not.
 *
 * @param path its folder
 */
public record StoredRun(Path path) {

  /** The state of a run that a process works on. */
  public static final String RUNNING = "running";

  /**
   * All runs in a folder and below.
   *
   * @param place what is there
   * @return the runs by name
   */
  public static List<StoredRun> in(FilesBelow place) {
    return place.folders().stream()
        .filter(path -> new RunFolder(path).isOurs())
        .map(StoredRun::new)
        .toList();
  }

  /**
   * The folders with cached features in a folder and below, which the runs beside them share.
   *
   * @param place what is there
   * @return the folders by name
   */
  public static List<Path> features(FilesBelow place) {
    return place.folders().stream().filter(FeatureCache::isIn).toList();
  }

  /**
   * What there is to say of it.
   *
   * @return its accuracy, or that it is not finished or damaged
   */
  public String state() {
    RunFolder files = new RunFolder(path);
    if (files.isTaken()) {
      return RUNNING;
    }
    if (!Files.exists(path.resolve(RunResult.FILE))) {
      return "not finished";
    }
    try {
      RunResult result = RunResult.read(path.resolve(RunResult.FILE));
      return result.run().method().key() + ", " + result.verdict();
    } catch (UserException | UncheckedIOException e) {
      return "damaged";
    }
  }

  /**
   * How much room a folder takes.
   *
   * @param folder any folder
   * @return bytes of all files in it and below
   */
  public static long bytes(Path folder) {
    return FilesBelow.of(folder).files().stream()
        .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
        .mapToLong(file -> file.toFile().length())
        .sum();
  }

  /**
   * Deletes the run. Files that spd did not make stay, and so do features that other runs use.
   *
   * @throws UserException if a process works on it
   */
  public void delete() {
    new RunFolder(path).delete();
  }
}
