/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.spd4j.files.OwnFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import picocli.CommandLine;

/** The commands read the folders of runs that earlier revisions made, finished or not. */
class EarlierRunsTest {

  private static final Path RESOURCES =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources");
  private static final Path DATA = RESOURCES.resolve("datasets/foldered");

  /** A network is read by the version of DL4J alone that wrote it. */
  private static final Path BEFORE =
      RESOURCES.resolve("before").resolve(System.getProperty("spd4j.dl4j.version"));

  /** Of the first revision that has files here, of one that seals its files, and of 0.1.0. */
  private static final String[] FINISHED_RUNS = {"finished", "finished-f7bd708", "0.1.0/finished"};

  private static final String FINISHED = "folders_as-foldered_split1_spd_seed1";
  private static final String STOPPED = "folders_as-foldered_split1_%s_seed1";

  /** Probabilities in single precision, written with six digits. */
  private static final double PROBABILITY = 2e-5;

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private void run(String... args) {
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    assertThat(spd.execute(args)).as(err.toString()).isZero();
  }

  private void experiment(String... options) {
    Stream<String> settings =
        Stream.of(
            "fine-grained",
            "folders",
            DATA.toString(),
            "--backbone=random",
            "--epochs-head=2",
            "--epochs-whole=2",
            "--batch=4",
            "--validation=0.4",
            "--out=" + folder);
    run(Stream.concat(settings, Stream.of(options)).toArray(String[]::new));
  }

  private void copy(Path source, String run) throws IOException {
    OwnFolder.claim("a test", folder).own(run);
    OwnFolder target = OwnFolder.claim("a test", folder.resolve(run));
    try (Stream<Path> files = Files.list(source.resolve(run))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        target.own(file.getFileName().toString());
        Files.copy(file, target.path().resolve(file.getFileName()));
      }
    }
  }

  @ParameterizedTest
  @FieldSource("FINISHED_RUNS")
  void aFinishedRunIsNotRepeated(String runs) throws IOException {
    copy(BEFORE.resolve(runs), FINISHED);
    experiment("--method=spd");
    assertThat(out.toString()).contains("training seed 1: 50.0 %");
    assertThat(folder.resolve("features")).doesNotExist();
    assertThat(folder.resolve(FINISHED).resolve("result.json"))
        .hasSameBinaryContentAs(BEFORE.resolve(runs).resolve(FINISHED).resolve("result.json"));
  }

  @ParameterizedTest
  @CsvSource({"stopped, kernel", "0.1.0/stopped, spd-root"})
  void aStoppedRunGoesOn(String runs, String method) throws IOException {
    String stopped = STOPPED.formatted(method);
    Path end = BEFORE.resolve(runs + "-end");
    copy(BEFORE.resolve(runs), stopped);
    experiment("--method=" + method, "--try=scale 3", "--folds=2");
    JsonNode result = JSON.readTree(folder.resolve(stopped).resolve("result.json").toFile());
    JsonNode expected = JSON.readTree(end.resolve("result.json").toFile());
    for (String name : new String[] {"settings", "search", "bestEpoch", "counts", "accuracy"}) {
      assertThat(result.get(name)).isEqualTo(expected.get(name));
    }
    assertThat(result.get("epochs")).hasSameSizeAs(expected.get("epochs"));
    JsonNode beforeItWasStopped = expected.get("epochs").get(0);
    assertThat(result.get("epochs").get(0)).isEqualTo(beforeItWasStopped);
    assertSamePredictions(
        folder.resolve(stopped).resolve("predictions.csv"), end.resolve("predictions.csv"));
  }

  private static void assertSamePredictions(Path file, Path before) throws IOException {
    List<String> lines = Files.readAllLines(file);
    List<String> expected = Files.readAllLines(before);
    assertThat(lines).hasSameSizeAs(expected).startsWith(expected.get(0));
    for (int i = 1; i < lines.size(); i++) {
      int comma = expected.get(i).lastIndexOf(',');
      assertThat(lines.get(i)).startsWith(expected.get(i).substring(0, comma + 1));
      double probability = Double.parseDouble(lines.get(i).substring(comma + 1));
      double probabilityBefore = Double.parseDouble(expected.get(i).substring(comma + 1));
      assertThat(probability).isCloseTo(probabilityBefore, within(PROBABILITY));
    }
  }

  @ParameterizedTest
  @FieldSource("FINISHED_RUNS")
  void aTableIsMadeOfTheResult(String runs) {
    run("table", BEFORE.resolve(runs).toString(), "--out=" + folder);
    assertThat(out.toString()).contains("| SPD head ", "class folders, random (a)", "| 50.0 ");
  }

  @ParameterizedTest
  @FieldSource("FINISHED_RUNS")
  void aModelClassifies(String runs) {
    Path image = DATA.resolve("test/stone/1.jpg");
    run("predict", BEFORE.resolve(runs).resolve(FINISHED).toString(), image.toString());
    assertThat(out.toString()).contains("1.jpg: stone 50.9 %, leaf 49.1 %");
  }
}
