/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.spd4j.experiments.ExperimentKind;
import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.experiments.Progress;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.testing.ReleasedFiles;
import io.github.spd4j.train.progress.EpochRecord;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * The commands read the folders of runs that every release, and this version, made: one that is
 * finished, and one that was stopped, with what it came to.
 */
@Tag("both")
class ReleasedRunsTest {

  private static final Path DATA = Fixtures.dataSet("foldered");

  private static final String FINISHED = "finished";
  private static final String STOPPED = "stopped";
  private static final String END = "stopped-end";
  private static final String FINISHED_RUN = "folders_as-foldered_split1_spd_seed1";
  private static final String STOPPED_RUN = "folders_as-foldered_split1_spd-root_seed1";

  /** Probabilities in single precision, written with six digits. */
  private static final double PROBABILITY = 2e-5;

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  static Stream<Named<Path>> releases() {
    return ReleasedFiles.folders("runs", ReleasedRunsTest::write);
  }

  private static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static void write(Path release) throws IOException {
    Path finished = release.resolve(FINISHED);
    Fixtures.run(settings(finished, "spd"));
    delete(finished, "features"); // what can be computed anew, and for humans
    Files.delete(finished.resolve(FINISHED_RUN).resolve("report.html"));

    Path stopped = release.resolve(STOPPED);
    assertThatThrownBy(() -> Fixtures.run(searching(stopped), new StoppingTheRun()))
        .isInstanceOf(Stop.class);
    Path end = Files.createTempDirectory(release, "end");
    ReleasedFiles.copy(stopped, end);
    Fixtures.run(searching(end));
    delete(stopped, "features");
    Files.createDirectory(release.resolve(END));
    for (String name : List.of("predictions.csv", "result.json")) {
      Files.copy(end.resolve(STOPPED_RUN).resolve(name), release.resolve(END).resolve(name));
    }
    ReleasedFiles.delete(end);
  }

  private static ExperimentSettings settings(Path out, String method) {
    ExperimentSettings settings = Fixtures.settings(out, method);
    settings.kind = ExperimentKind.FINE_GRAINED;
    settings.training.wholeEpochs = 2;
    return settings;
  }

  private static ExperimentSettings searching(Path out) {
    ExperimentSettings settings = settings(out, "spd-root");
    settings.tries = List.of(Fixtures.scaled(settings, 3));
    settings.folds = 2;
    return settings;
  }

  /** Stops in stage one of the run itself, after those of the search. */
  private static final class StoppingTheRun implements Progress {
    private boolean searched;

    @Override
    public void message(String text) {
      searched |= text.startsWith("takes '");
    }

    @Override
    public void epochDone(EpochRecord record) {
      if (searched && record.epoch() == 1) {
        throw new Stop();
      }
    }
  }

  private static void delete(Path runs, String name) {
    OwnFolder.find(runs.resolve(name)).orElseThrow().deleteAll();
  }

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

  @ParameterizedTest
  @MethodSource("releases")
  void aFinishedRunIsNotRepeated(Path release) throws IOException {
    ReleasedFiles.copy(release.resolve(FINISHED), folder);
    Path before = release.resolve(FINISHED).resolve(FINISHED_RUN).resolve("result.json");
    experiment("--method=spd");
    assertThat(out.toString())
        .contains(
            String.format(
                Locale.ROOT,
                "training seed 1: %.1f %%",
                100 * JSON.readTree(before.toFile()).at("/test/accuracy").asDouble()));
    assertThat(folder.resolve("features")).doesNotExist();
    assertThat(folder.resolve(FINISHED_RUN).resolve("result.json")).hasSameBinaryContentAs(before);
  }

  @ParameterizedTest
  @MethodSource("releases")
  void aStoppedRunGoesOn(Path release) throws IOException {
    Path end = release.resolve(END);
    ReleasedFiles.copy(release.resolve(STOPPED), folder);
    experiment("--method=spd-root", "--try=scale 3", "--folds=2");
    JsonNode result = JSON.readTree(folder.resolve(STOPPED_RUN).resolve("result.json").toFile());
    JsonNode expected = JSON.readTree(end.resolve("result.json").toFile());
    for (String name :
        new String[] {
          "/settings", "/training/search", "/training/bestEpoch", "/images", "/test/accuracy"
        }) {
      assertThat(result.at(name)).isEqualTo(expected.at(name));
      assertThat(expected.at(name).isMissingNode()).isFalse();
    }
    assertThat(result.at("/training/epochs")).hasSameSizeAs(expected.at("/training/epochs"));
    JsonNode beforeItWasStopped = expected.at("/training/epochs/0");
    assertThat(result.at("/training/epochs/0")).isEqualTo(beforeItWasStopped);
    assertSamePredictions(
        folder.resolve(STOPPED_RUN).resolve("predictions.csv"), end.resolve("predictions.csv"));
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
  @MethodSource("releases")
  void aTableIsMadeOfTheResult(Path release) {
    run("table", release.resolve(FINISHED).toString(), "--out=" + folder);
    assertThat(out.toString()).contains("| SPD head ", "class folders ", ", random (a)");
  }

  @ParameterizedTest
  @MethodSource("releases")
  void aModelClassifies(Path release) throws IOException {
    Path run = release.resolve(FINISHED).resolve(FINISHED_RUN);
    Path image = DATA.resolve("test/stone/1.jpg");
    String[] cells =
        Files.readAllLines(run.resolve("predictions.csv")).stream()
            .filter(line -> line.contains("stone/1.jpg"))
            .findFirst()
            .orElseThrow()
            .split(",");
    run("predict", run.toString(), image.toString());
    assertThat(out.toString())
        .contains(
            String.format(
                Locale.ROOT,
                "1.jpg: %s %.1f %%",
                cells[cells.length - 2],
                100 * Double.parseDouble(cells[cells.length - 1])));
  }
}
