/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import io.github.spd4j.experiments.Mistake;
import io.github.spd4j.experiments.RunResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds the results of runs. */
final class ResultFiles {

  private static final String NAME = "result.json";

  private ResultFiles() {}

  /** The results in files, in folders of runs, or anywhere below a folder, each once. */
  static List<RunResult> read(List<Path> places) {
    List<RunResult> results =
        places.stream()
            .flatMap(place -> below(place).stream())
            .map(file -> file.toAbsolutePath().normalize())
            .distinct()
            .map(RunResult::read)
            .toList();
    if (results.isEmpty()) {
      throw new Mistake("expected folders with finished runs, got no " + NAME + " in " + places);
    }
    return results;
  }

  private static List<Path> below(Path place) {
    if (!Files.exists(place)) {
      throw new Mistake(
          "expected folders with finished runs, got " + place + ", which is not there");
    }
    if (Files.isRegularFile(place)) {
      return List.of(place);
    }
    try (Stream<Path> files = Files.walk(place)) {
      return files
          .filter(file -> file.getFileName() != null && file.getFileName().toString().equals(NAME))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + place, e);
    }
  }
}
