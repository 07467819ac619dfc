/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.experiments.Progress;
import io.github.spd4j.experiments.RunResult;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.testing.Generator;
import io.github.spd4j.train.progress.EpochRecord;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Every file of a run is damaged in every way. The command then gives the result of a sound run, or
 * refuses with one line that names the file and says what to do; and doing that helps.
 */
class RunFilesTest {

  private static final String RUN = "folders_as-foldered_split1_kernel_seed%d";

  /** A run that was stopped within its training, one that is finished, and another one's files. */
  @TempDir static Path templates;

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private enum Damage {
    EMPTY,
    HALF,
    BIT,
    DELETED,
    FOLDER,
    ANOTHERS
  }

  /** Stops the process, as it were, in the first epoch after the search. */
  private static final class Stop implements Progress {
    private boolean searched;

    @Override
    public void message(String text) {
      searched |= text.startsWith("takes");
    }

    @Override
    public void epochDone(EpochRecord record) {
      if (searched) {
        throw new UnsupportedOperationException("stopped");
      }
    }
  }

  private static ExperimentSettings settings(String place, long seed) {
    ExperimentSettings settings = Fixtures.settings(templates.resolve(place), "kernel");
    settings.training.headEpochs = 1;
    settings.tries = List.of(Fixtures.scaled(settings, 3));
    settings.folds = 2;
    settings.seeds = List.of(seed);
    return settings;
  }

  @BeforeAll
  static void makeRuns() {
    Fixtures.run(settings("finished", 1));
    assertThatThrownBy(() -> Fixtures.run(settings("stopped", 1), new Stop()))
        .hasMessage("stopped");
    Fixtures.run(settings("other-finished", 2));
    assertThatThrownBy(() -> Fixtures.run(settings("other-stopped", 2), new Stop()))
        .hasMessage("stopped");
  }

  private int run() {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return spd.execute(
        "paper",
        "folders",
        Fixtures.dataSet("foldered").toString(),
        "--method=kernel",
        "--backbone=random",
        "--epochs-head=1",
        "--epochs-whole=1",
        "--batch=4",
        "--validation=0.4",
        "--try=scale 3",
        "--folds=2",
        "--out=" + folder);
  }

  private Path runFolder() {
    return folder.resolve(RUN.formatted(1));
  }

  private static void delete(Path place) throws IOException {
    try (Stream<Path> files = Files.walk(place)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private void copy(String template) throws IOException {
    delete(folder);
    Path source = templates.resolve(template);
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : files.toList()) {
        Files.copy(file, folder.resolve(source.relativize(file).toString()));
      }
    }
  }

  private static List<Path> files(Path place) throws IOException {
    try (Stream<Path> files = Files.walk(place)) {
      return files
          .filter(Files::isRegularFile)
          .map(place::relativize)
          .filter(file -> !file.endsWith("report.html")) // nobody reads it
          .filter(file -> !file.endsWith(OwnFolder.MARK)) // without it the folder is nobody's
          .sorted()
          .toList();
    }
  }

  private void damage(String template, Path name, Damage damage, Random random) throws IOException {
    Path file = folder.resolve(name);
    byte[] bytes = Files.readAllBytes(file);
    switch (damage) {
      case EMPTY -> Files.write(file, new byte[0]);
      case HALF -> Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
      case BIT -> {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        Files.write(file, bytes);
      }
      case DELETED -> Files.delete(file);
      case FOLDER -> {
        Files.delete(file);
        Files.createDirectories(file.resolve("something"));
      }
      case ANOTHERS -> Files.write(file, anothers(template, name));
      default -> throw new AssertionError(damage);
    }
  }

  /** The same file of the run with the other seed; features of another key. */
  private static byte[] anothers(String template, Path name) throws IOException {
    Path others = templates.resolve("other-" + template);
    Path same = others.resolve(name.toString().replace("seed1", "seed2"));
    if (Files.exists(same) && !name.startsWith("features")) {
      return Files.readAllBytes(same);
    }
    try (Stream<Path> features = Files.list(others.resolve("features"))) {
      Path another = features.filter(file -> !file.endsWith(name.getFileName())).findFirst().get();
      return Files.readAllBytes(another);
    }
  }

  private void check(String template, Path name, Damage damage, long seed) throws IOException {
    String what = template + " " + name + " " + damage + " " + seed;
    copy(template);
    damage(template, name, damage, new Random(seed));
    int code = run();
    if (code == Commands.USER_ERROR) {
      String said = err.toString();
      boolean whole = said.contains("delete the folder") || said.contains("delete that folder");
      assertThat(said).as(what).hasLineCount(1).hasSizeLessThan(1000).contains("delete ");
      assertThat(said).as(what).contains((whole ? runFolder() : name.getFileName()).toString());
      assertThat(said).as(what).doesNotContain("Exception", "null");
      delete(whole ? runFolder() : folder.resolve(name));
      code = run();
    }
    assertThat(code).as(what + ": " + err + out).isZero();
    assertSameResult(what, damage == Damage.DELETED ? name : Path.of(""));
  }

  private void assertSameResult(String what, Path deleted) throws IOException {
    Path sound = templates.resolve("finished").resolve(RUN.formatted(1));
    RunResult expected = RunResult.read(sound.resolve("result.json"));
    RunResult result = RunResult.read(runFolder().resolve("result.json"));
    assertThat(result.test().accuracy()).as(what).isEqualTo(expected.test().accuracy());
    assertThat(result.settings()).as(what).isEqualTo(expected.settings());
    assertThat(result.training().search()).as(what).isEqualTo(expected.training().search());
    for (String name : List.of("predictions.csv", "model.json", "model.zip")) {
      Path file = runFolder().resolve(name);
      if (name.equals("model.zip") && Files.exists(file)) {
        ImageClassifier.load(file); // the times in the file differ
      } else if (Files.exists(file) || !deleted.endsWith(name)) {
        assertThat(file).as(what).hasSameBinaryContentAs(sound.resolve(name));
      }
    }
    assertThat(runFolder().toFile().list())
        .as(what)
        .doesNotContain("settings.json", "checkpoint.zip", "clock.json", "search.json", "lock");
  }

  /** A file, and what is done to it. */
  private record Case(String template, Path name, Damage damage) {}

  private static List<Case> cases() throws IOException {
    List<Case> cases = new ArrayList<>();
    for (String template : List.of("stopped", "finished")) {
      for (Path name : files(templates.resolve(template))) {
        Stream.of(Damage.values()).forEach(damage -> cases.add(new Case(template, name, damage)));
      }
    }
    return cases;
  }

  /** All cases in a mixed order, again and again; a seed says which it is, and what is random. */
  @Test
  void damageIsMendedOrRefused() throws IOException {
    List<Case> cases = cases();
    Collections.shuffle(cases, new Random(1));
    Generator.RECORDS.each(
        seed -> {
          Case one = cases.get((int) (seed % cases.size()));
          check(one.template, one.name, one.damage, seed);
        });
  }

  @Test
  void aSearchRecordThatWasEditedIsRefused() throws IOException {
    copy("stopped");
    Path file = runFolder().resolve("search.json");
    String text = Files.readString(file);
    Files.writeString(file, text.replaceFirst("0\\.\\d+|1\\.0", "0.875"));
    assertThat(file).content().isNotEqualTo(text);
    assertThat(run()).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString())
        .hasLineCount(1)
        .contains("search.json: its checksum is wrong", "delete it to try the options anew");
  }

  /** Killed after the result was written, and before the report. */
  @Test
  void aRunThatDiedBeforeItsReportGetsOne() throws IOException {
    copy("finished");
    Path stopped = templates.resolve("stopped").resolve(RUN.formatted(1));
    for (String name : List.of("settings.json", "checkpoint.zip", "search.json", OwnFolder.MARK)) {
      Files.copy(
          stopped.resolve(name), runFolder().resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
    Files.delete(runFolder().resolve("report.html"));
    for (String name : List.of("model.zip.tmp", "result.json.tmp", "lock")) {
      Files.writeString(runFolder().resolve(name), "half of i");
    }
    assertThat(run()).as(err.toString()).isZero();
    assertSameResult("died", Path.of(""));
    assertThat(runFolder().toFile().list())
        .containsExactlyInAnyOrder(
            ".spd", "result.json", "predictions.csv", "model.zip", "model.json", "report.html");
  }

  @Test
  void aReportThatCannotBeWrittenCostsNoResult() throws IOException {
    copy("stopped");
    Files.createDirectories(runFolder().resolve("report.html/in/the/way"));
    assertThat(run()).as(err.toString()).isZero();
    assertSameResult("no report", Path.of(""));
  }
}
