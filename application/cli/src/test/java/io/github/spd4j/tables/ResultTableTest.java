/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.cli.Commands;
import io.github.spd4j.cli.TableCommand;
import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.experiments.RunResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ResultTableTest {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(Path... args) {
    CommandLine table = Commands.line(new TableCommand());
    table.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    List<String> all = new java.util.ArrayList<>(List.of("-o", folder.toString()));
    List.of(args).forEach(path -> all.add(path.toString()));
    return table.execute(all.toArray(new String[0]));
  }

  @Test
  void twoRunsGiveAMeanADeviationAndWhatDiffers() {
    ExperimentSettings settings = Fixtures.settings(folder.resolve("runs"), "vgg-16");
    settings.training.wholeEpochs = 0;
    settings.seeds = List.of(1L, 2L);
    List<RunResult> results = Fixtures.run(settings);
    assertThat(run(settings.out)).isZero();
    Cell expected =
        new Cell(List.of(results.get(0).test().accuracy(), results.get(1).test().accuracy()));
    assertThat(out.toString())
        .contains("class folders foldered, random (a)")
        .containsPattern(java.util.regex.Pattern.quote(expected.text()) + " +\\| 2 ")
        .contains("Backbone: random", "Data: 2 classes", "only the head", "average pooling")
        .doesNotContain("paper");
    assertThat(folder.resolve("table.md")).hasContent(out.toString());
    assertThat(folder.resolve("table.html"))
        .content()
        .contains(expected.text(), "<th>runs</th></tr>", "<h1>Results</h1>")
        .doesNotContain("http")
        .doesNotContain("–</td>", "<th>paper</th>", "the paper"); // own images are in none
  }

  @Test
  void runsOfOneColumnWithOtherSettingsGetRowsOfTheirOwn() {
    ExperimentSettings settings = Fixtures.settings(folder.resolve("a"), "kernel");
    settings.training.wholeEpochs = 0;
    Fixtures.run(settings);
    settings.out = folder.resolve("b");
    settings.head.bandwidth = 0.5;
    Fixtures.run(settings);
    assertThat(run(folder)).isZero();
    assertThat(out.toString())
        .contains("Kernel matrix (bandwidth = 1.0)", "matrix (bandwidth = 0.5)", "random (a)")
        .doesNotContain("(b)");
  }

  /** Two folders with as many images are not one data set. */
  @Test
  void eachFolderOfPicturesHasAColumnOfItsName() {
    ExperimentSettings settings = Fixtures.settings(folder.resolve("a"), "vgg-16");
    settings.training.wholeEpochs = 0;
    RunResult one = Fixtures.run(settings).get(0);
    RunResult.Identity run = one.run();
    RunResult other =
        new RunResult(
            one.version(),
            new RunResult.Identity(
                run.method(), run.dataSet(), "more", run.partition(), run.seed()),
            one.settings(),
            one.images(),
            one.training(),
            one.test(),
            one.execution(),
            one.files());
    assertThat(new ResultTable(List.of(one, other)).header())
        .contains("class folders foldered, random (a)", "class folders more, random (b)");
  }

  @Test
  void aRunWithoutASearchSaysSoBesideOneWithIt() {
    ExperimentSettings settings = Fixtures.settings(folder.resolve("a"), "vgg-16");
    settings.training.wholeEpochs = 0;
    Fixtures.run(settings);
    settings.out = folder.resolve("b");
    settings.tries = List.of(Fixtures.scaled(settings, 3));
    Fixtures.run(settings);
    assertThat(run(folder)).isZero();
    assertThat(out.toString())
        .contains("own layers (folds = 3, tries = scale 3)", "own layers (no folds, no tries)");
  }

  @Test
  void partitionsOfOtherImagesShareARow() {
    ExperimentSettings settings = Fixtures.settings(folder.resolve("runs"), "vgg-16");
    settings.training.wholeEpochs = 0;
    settings.splits = List.of(1L, 2L);
    List<RunResult> results = Fixtures.run(settings);
    assertThat(results.get(0).settings().get("images"))
        .isNotEqualTo(results.get(1).settings().get("images"));
    assertThat(run(settings.out)).isZero();
    Cell expected =
        new Cell(List.of(results.get(0).test().accuracy(), results.get(1).test().accuracy()));
    assertThat(out.toString()).contains(expected.text()).doesNotContain("images = ");
  }

  @Test
  void aFixedPartitionIsRunOnceWhateverTheSplits() {
    ExperimentSettings settings = Fixtures.settings(folder.resolve("runs"), "vgg-16");
    settings.training.wholeEpochs = 0;
    settings.validation = 0;
    settings.splits = List.of(1L, 2L);
    assertThat(Fixtures.run(settings)).hasSize(1);
  }

  @Test
  void runsShareARowWhateverASearchFound() throws Exception {
    ExperimentSettings settings = Fixtures.settings(folder.resolve("runs"), "vgg-16");
    settings.training.wholeEpochs = 0;
    settings.tries = List.of(Fixtures.scaled(settings, 3), Fixtures.scaled(settings, 1));
    settings.seeds = List.of(1L, 2L);
    Fixtures.run(settings);
    Path one = settings.out.resolve("folders_as-foldered_split1_vgg-16_seed1/result.json");
    Fixtures.replace(
        one, "\"taken\" : \"as given\"", "\"taken\" : \"scale 3\", \"takenScale\" : \"3\"");
    assertThat(run(settings.out)).isZero();
    assertThat(out.toString())
        .contains("| The backbone's own layers ")
        .contains("one of [scale 3; scale 1]");
  }

  @Test
  void theDeviationIsThatOfASample() {
    assertThat(new Cell(List.of(0.5, 0.7)).text()).isEqualTo("60.0 ± 14.1");
    assertThat(new Cell(List.of(0.5)).text()).isEqualTo("50.0");
    assertThat(new Cell(List.of()).text()).isEqualTo("–");
  }

  @Test
  void noRunsAreAMistakeInOneLine() {
    assertThat(run(folder)).isEqualTo(Commands.USER_ERROR);
    assertThat(run(folder.resolve("nowhere"))).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString().lines()).hasSize(2).allMatch(line -> line.startsWith("expected"));
    assertThat(folder).isEmptyDirectory();
  }
}
