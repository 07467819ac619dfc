/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import com.fasterxml.jackson.core.type.TypeReference;
import io.github.spd4j.train.TwoStageTrainer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How long a run takes, together with the parts before it was interrupted.
 *
 * <p>{@code clock.json} has when the present part began, and how long the parts before it took. A
 * part that was interrupted counts up to its last checkpoint, or the last fold of its search: what
 * it did after that is done again. One without either does not count.
 */
final class RunClock {

  static final String FILE = "clock.json";

  private static final double MILLIS = 1e3;
  private static final double NANOS = 1e9;

  private final double before;
  private final long start = System.nanoTime();

  private RunClock(double before) {
    this.before = before;
  }

  /** The content of the file. */
  record Parts(double secondsBefore, long beganMillis) {}

  /** Begins a part of a run. The time of parts that nobody knows any more does not count. */
  static RunClock start(RunFolder folder, Progress progress) {
    Path file = folder.file(FILE);
    double before = 0;
    if (Files.exists(file)) {
      try {
        Parts last =
            Json.kept(
                file,
                new TypeReference<>() {},
                folder.identity(),
                "the time before this part of the run is not counted");
        before = last.secondsBefore() + seconds(last, folder);
      } catch (UserException e) {
        progress.message(e.getMessage());
      }
    }
    Json.keep(file, new Parts(before, System.currentTimeMillis()), folder.identity());
    return new RunClock(before);
  }

  private static double seconds(Parts last, RunFolder folder) {
    long end = last.beganMillis();
    for (String kept : List.of(TwoStageTrainer.CHECKPOINT, Search.FILE)) {
      Path file = folder.file(kept);
      try {
        end = Files.exists(file) ? Math.max(end, Files.getLastModifiedTime(file).toMillis()) : end;
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + file, e);
      }
    }
    return (end - last.beganMillis()) / MILLIS;
  }

  /** The seconds of all parts up to now. */
  double seconds() {
    return before + (System.nanoTime() - start) / NANOS;
  }
}
