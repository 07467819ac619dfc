/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.models.ModelCard;
import io.github.spd4j.train.TwoStageTrainer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The files of one run. {@code result.json} is written last: where it is, the run is finished. */
record RunFolder(Path path) {

  private static final String SETTINGS = "settings.json";
  private static final String LOCK = "lock";

  /** A name for a folder, made of letters, digits, dots, hyphens and underscores. */
  static String slug(String... parts) {
    return String.join("_", parts).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9._]+", "-");
  }

  Path file(String name) {
    return path.resolve(name);
  }

  /** The result, if the run is finished. Refuses that of a run with other settings. */
  Optional<RunResult> finished(Map<String, String> settings) {
    if (!Files.exists(file(RunResult.FILE))) {
      return Optional.empty();
    }
    RunResult result = RunResult.read(file(RunResult.FILE));
    requireEqual(result.settings(), settings);
    return Optional.of(result);
  }

  /** Whether there is a run, finished or not. */
  boolean hasBegun() {
    return Files.exists(file(SETTINGS)) || Files.exists(file(RunResult.FILE));
  }

  /**
   * Begins the run or goes on with it.
   *
   * @return keeps other processes from the folder until it is closed
   */
  @SuppressWarnings("unchecked") // a JSON object
  Lock begin(Map<String, String> settings) {
    try {
      Files.createDirectories(path);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make the folder " + path, e);
    }
    Lock lock = new Lock(file(LOCK));
    try {
      if (Files.exists(file(SETTINGS))) {
        requireEqual(Json.read(file(SETTINGS), Map.class), settings);
      } else {
        Json.write(file(SETTINGS), settings);
      }
      return lock;
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /** Without what an earlier version began the run without: nobody knows what that was. */
  Map<String, String> known(Map<String, String> settings) {
    Map<?, ?> begun = Json.read(file(SETTINGS), Map.class);
    Map<String, String> known = new LinkedHashMap<>(settings);
    known
        .entrySet()
        .removeIf(
            entry ->
                !begun.containsKey(entry.getKey())
                    && RunSettings.mayLack(entry.getKey(), entry.getValue()));
    return known;
  }

  /** Held by the process that works on a run. The system takes it back when the process ends. */
  static final class Lock implements AutoCloseable {

    private final Path file;
    private final FileChannel channel;

    private Lock(Path file) {
      this.file = file;
      try {
        channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (!isFree(channel)) {
          channel.close();
          throw new UserException(
              "another process works on the run in %s; wait for it, or choose another --out"
                  .formatted(file.getParent()));
        }
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write " + file, e);
      }
    }

    private static boolean isFree(FileChannel channel) throws IOException {
      try {
        return channel.tryLock() != null;
      } catch (OverlappingFileLockException e) { // another thread has it
        return false;
      }
    }

    @Override
    public void close() {
      try {
        channel.close();
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot delete " + file, e);
      }
    }
  }

  private void requireEqual(Map<String, String> found, Map<String, String> expected) {
    Candidate.plainTries(found);
    expected.forEach(
        (name, value) -> {
          boolean unknown = !found.containsKey(name) && RunSettings.mayLack(name, value);
          if (!unknown && !value.equals(found.get(name))) {
            throw new UserException(
                "%s holds a run with %s; choose another --out, or delete that folder"
                    .formatted(path, difference(name, found.get(name), value)));
          }
        });
  }

  private static String difference(String name, String found, String expected) {
    return switch (name) {
      case "images" -> "images of other names, or divided otherwise";
      case RunSettings.CONTENTS -> "images of these names whose content was another";
      default -> "%s = %s, expected %s".formatted(name, found, expected);
    };
  }

  /** Those that other runs could use lie beside the folder of the run, not in it. */
  private void deleteFeatures() throws IOException {
    Path features = file(Experiment.FEATURES);
    if (Files.isDirectory(features)) {
      try (Stream<Path> files = Files.list(features)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(features);
    }
  }

  /** Ends the run; from now on it will not be repeated. */
  void finish(RunResult result, boolean dropModel) {
    Json.write(file(RunResult.FILE), result);
    try {
      Files.deleteIfExists(file(TwoStageTrainer.CHECKPOINT));
      Files.deleteIfExists(file(SETTINGS));
      Files.deleteIfExists(file(Search.FILE));
      Files.deleteIfExists(file(RunClock.FILE));
      deleteFeatures();
      if (dropModel) {
        Files.deleteIfExists(file(TwoStageTrainer.MODEL));
        Files.deleteIfExists(file(ModelCard.FILE));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete files in " + path, e);
    }
  }
}
