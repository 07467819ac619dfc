/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * How far something is that takes long, for those who see no bar: said soon if much is left, and
 * then every half minute.
 */
public final class Pace {

  private static final Pause USUAL =
      new Pause(
          Duration.ofSeconds(5), Duration.ofMillis(Long.getLong("spd4j.lines.millis", 30_000)));

  /**
   * When something is said.
   *
   * @param before the time after which one can tell how long it takes
   * @param between the time from one line to the next; what takes less is not said first
   */
  public record Pause(Duration before, Duration between) {}

  private final Pause pause;
  private final String unit;
  private long start;
  private long shown;
  private long begun;
  private long done;

  /**
   * Nothing is done yet.
   *
   * @param unit what is counted
   */
  public Pace(String unit) {
    this(unit, USUAL);
  }

  /**
   * The same with other pauses.
   *
   * @param unit what is counted
   * @param pause when something is said
   */
  public Pace(String unit, Pause pause) {
    this.unit = unit;
    this.pause = pause;
  }

  /**
   * Something more is done; less than before if it is another task.
   *
   * @param now how much
   * @param total how much there is
   * @return what to say now, if anything
   */
  public Optional<String> step(long now, long total) {
    long time = System.nanoTime();
    if (now < done || done == 0) {
      start = time;
      shown = time;
      begun = now;
    }
    done = now;
    Duration elapsed = Duration.ofNanos(time - start);
    if (now >= total || now == begun || !isTime(time, elapsed, now, total)) {
      return Optional.empty();
    }
    shown = time;
    String left = left(now - begun, total - now, elapsed);
    return Optional.of("%d of %d %s, %s left".formatted(now, total, unit, left));
  }

  /**
   * The time that what is left takes, if it goes on as what was done since the start.
   *
   * @param done how much was done
   * @param left how much is left
   * @param elapsed the time since the start
   * @return minutes and seconds, after hours if there are any
   */
  public static String left(long done, long left, Duration elapsed) {
    long seconds = Math.round(elapsed.toMillis() / 1e3 * left / done);
    long hours = seconds / 3600;
    return hours > 0
        ? String.format(Locale.ROOT, "%d:%02d:%02d", hours, seconds / 60 % 60, seconds % 60)
        : String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60);
  }

  private boolean isTime(long time, Duration elapsed, long now, long total) {
    if (shown > start) {
      return time - shown > pause.between.toNanos();
    }
    double whole = (double) elapsed.toNanos() * (total - begun) / (now - begun);
    return elapsed.compareTo(pause.before) > 0 && whole > pause.between.toNanos();
  }
}
