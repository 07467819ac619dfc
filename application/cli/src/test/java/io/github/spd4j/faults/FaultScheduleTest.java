/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.faults;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.experiments.BackboneChoice;
import io.github.spd4j.experiments.ExperimentKind;
import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.testing.Generator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Schedules of faults, each drawn from a seed. */
class FaultScheduleTest {

  @TempDir static Path folder;

  private static final Map<Training, Schedule.Reference> REFERENCES = new EnumMap<>(Training.class);

  @BeforeAll
  static void makeNetworks() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")), "needs pipes");
    folder = folder.toRealPath();
    Files.copy(Fixtures.dataSet("../onnx/vit.onnx"), folder.resolve("net.onnx"));
    var net = BackboneChoice.of("random").load(ExperimentKind.TEXTURE, null, null).net();
    ModelSerializer.writeModel(net, folder.resolve("net.zip").toFile(), false);
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

  private static Schedule.Reference reference(Training training) throws IOException {
    Schedule.Reference known = REFERENCES.get(training);
    if (known == null) {
      Path world = world();
      known = Schedule.reference(training, world, folder);
      delete(world);
      REFERENCES.put(training, known);
    }
    return known;
  }

  private static void play(long seed) throws IOException {
    Training training = Training.of(seed);
    Schedule.Reference reference = reference(training);
    Path world = world();
    Schedule schedule = new Schedule(seed, training, world, folder, reference);
    try {
      schedule.run();
    } catch (AssertionError | RuntimeException | IOException e) {
      throw new AssertionError(e.getMessage() + "\n" + schedule.log(), e);
    }
    if (Generator.isReplay()) {
      System.out.println(schedule.log());
    }
    delete(world);
  }

  @Test
  void whatIsPromisedHolds() {
    Generator.FAULTS.each(FaultScheduleTest::play);
  }
}
