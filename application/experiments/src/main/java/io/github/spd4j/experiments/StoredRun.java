/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.train.features.FeatureCache;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

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
   * @param folder the folder of a run, or one with such folders
   * @return the runs by name
   * @throws UserException if there is no such folder
   */
  public static List<StoredRun> below(Path folder) {
    return folders(folder).stream()
        .filter(path -> new RunFolder(path).isOurs())
        .map(StoredRun::new)
        .toList();
  }

  /**
   * The folders with cached features in a folder and below, which the runs beside them share.
   *
   * @param folder any folder
   * @return the folders by name
   * @throws UserException if there is no such folder
   */
  public static List<Path> features(Path folder) {
    return folders(folder).stream().filter(FeatureCache::isIn).toList();
  }

  private static List<Path> folders(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new UserException(folder + ": no such folder; expected one with runs");
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
          .sorted()
          .toList();
    } catch (IOException | UncheckedIOException e) {
      throw new UserException(folder + ": cannot be listed: " + e.getMessage(), e);
    }
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
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
          .mapToLong(file -> file.toFile().length())
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + folder, e);
    }
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
