/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.train.TwoStageTrainer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The files of one run. {@code result.json} is written last: where it is, the run is finished. */
record RunFolder(Path path) {

  private static final String SETTINGS = "settings.json";

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

  /** Begins the run or goes on with it. */
  @SuppressWarnings("unchecked") // a JSON object
  void begin(Map<String, String> settings) {
    try {
      Files.createDirectories(path);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make the folder " + path, e);
    }
    if (Files.exists(file(SETTINGS))) {
      requireEqual(Json.read(file(SETTINGS), Map.class), settings);
    } else {
      Json.write(file(SETTINGS), settings);
    }
  }

  private void requireEqual(Map<String, String> found, Map<String, String> expected) {
    Candidate.plainTries(found);
    expected.forEach(
        (name, value) -> {
          if (!value.equals(found.get(name))) {
            throw new UserException(
                ("%s holds a run with %s = %s, expected %s; choose another --out, or delete that"
                        + " folder")
                    .formatted(path, name, found.get(name), value));
          }
        });
  }

  /** Ends the run; from now on it will not be repeated. */
  void finish(RunResult result, boolean dropModel) {
    Json.write(file(RunResult.FILE), result);
    try {
      Files.deleteIfExists(file(TwoStageTrainer.CHECKPOINT));
      Files.deleteIfExists(file(SETTINGS));
      Files.deleteIfExists(file(Search.FILE));
      Files.deleteIfExists(file(RunClock.FILE));
      if (dropModel) {
        Files.deleteIfExists(file(TwoStageTrainer.MODEL));
        Files.deleteIfExists(file(ModelCard.FILE));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete files in " + path, e);
    }
  }
}
