/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.Fixtures;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PredictTest {

  private static final String IMAGE = Fixtures.dataSet("folders/leaf/1.png").toString();

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(Path model, String... args) {
    CommandLine predict = Commands.line(new PredictCommand());
    predict.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return predict.execute(
        Stream.concat(Stream.of(model.toString()), Stream.of(args)).toArray(String[]::new));
  }

  private Path model() {
    ExperimentSettings settings = Fixtures.settings(folder.resolve("runs"), "spd");
    settings.training.wholeEpochs = 0;
    Fixtures.run(settings);
    return settings.out.resolve("folders_as-foldered_split1_spd_seed1");
  }

  @Test
  void aRunAnswersAndExplains() {
    Path explained = folder.resolve("explained");
    Path model = model();
    assertThat(run(model, IMAGE, "--top", "2", "--explain", explained.toString())).isZero();
    assertThat(out.toString().lines().findFirst().orElse("")).matches(".*1.png: .* %, .* %");
    assertThat(explained.resolve("001-1.png")).isNotEmptyFile();
    assertThat(explained.resolve("index.html")).content().contains("data:image/png");

    assertThat(run(model.resolve("model.zip"), IMAGE)).isZero();
    assertThat(run(model, IMAGE, "no-such.png", "--explain", folder.resolve("x").toString()))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(folder.resolve("x")).doesNotExist();
  }

  @Test
  void whatIsNoModelIsAMistakeInOneLine() {
    assertThat(run(folder, IMAGE)).isEqualTo(Commands.USER_ERROR);
    assertThat(run(Path.of(IMAGE), IMAGE)).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString().lines()).hasSize(2).allMatch(line -> line.startsWith("expected"));
  }
}
