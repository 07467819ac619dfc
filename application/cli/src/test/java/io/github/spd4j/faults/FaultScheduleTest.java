/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.faults;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.experiments.Fixtures;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Schedules of faults, each drawn from a seed. One that fails is replayed by {@code
 * -Dspd4j.campaign.schedule=SEED}; {@code -Dspd4j.campaign.minutes=120} draws fresh seeds for so
 * long.
 */
class FaultScheduleTest {

  private static final long MINUTES = Long.getLong("spd4j.campaign.minutes", 0);
  private static final int USUAL = MINUTES > 0 ? 6 : 3;
  private static final Long ONE = Long.getLong("spd4j.campaign.schedule");

  @TempDir static Path folder;

  private static final PrintStream SCREEN = System.out;
  private static Schedule.Reference reference;

  @BeforeAll
  static void runUndisturbed() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")), "needs pipes");
    System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    folder = folder.toRealPath();
    Path world = world();
    reference = Schedule.reference(world, world.resolve("photos"));
    delete(world);
  }

  @AfterAll
  static void showAgain() {
    System.setOut(SCREEN);
  }

  /** Always at the same place, since the place is in some files. */
  private static Path world() throws IOException {
    Path world = folder.resolve("world");
    Path source = Fixtures.dataSet("foldered");
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : files.toList()) {
        Path copy = world.resolve("photos").resolve(source.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
    return world;
  }

  private static void delete(Path world) throws IOException {
    try (Stream<Path> files = Files.walk(world)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void play(long seed) throws IOException {
    Path world = world();
    Schedule schedule = new Schedule(seed, world, world.resolve("photos"), reference);
    try {
      schedule.run();
    } catch (AssertionError | RuntimeException | IOException e) {
      throw new AssertionError(
          """
          The schedule of seed %d failed: %s
          %s
          To replay it: mvn test -Dtest=FaultScheduleTest -Dspd4j.campaign.schedule=%d \
          -Dsurefire.failIfNoSpecifiedTests=false"""
              .formatted(seed, e.getMessage(), schedule.log(), seed),
          e);
    }
    if (ONE != null) {
      SCREEN.println(schedule.log());
    }
    delete(world);
  }

  @Test
  void whatIsPromisedHolds() throws IOException {
    if (ONE != null) {
      play(ONE);
      return;
    }
    for (long seed = 1; seed <= USUAL; seed++) {
      play(seed);
    }
    Random fresh = new Random();
    int more = 0;
    for (long end = System.nanoTime() + Duration.ofMinutes(MINUTES).toNanos();
        System.nanoTime() < end;
        more++) {
      play(fresh.nextLong(Long.MAX_VALUE));
    }
    SCREEN.printf("%d schedules of faults, %d of them fresh%n", USUAL + more, more);
  }
}
