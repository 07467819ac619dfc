/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.experiments.ExperimentKind;
import io.github.spd4j.experiments.Method;
import io.github.spd4j.experiments.RunResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TextureCommandTest {

  private static final Path DATA =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/datasets");

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String kind, Path root, String... options) {
    return runAll(Stream.concat(Stream.of(kind, root.toString()), Stream.of(options)));
  }

  private int runAll(Stream<String> pairsAndOptions) {
    CommandLine texture =
        Commands.line(ExperimentCommand.texture()).setOverwrittenOptionsAllowed(true);
    texture.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return texture.execute(
        Stream.concat(
                Stream.of(
                    "--backbone=random",
                    "--epochs-head=1",
                    "--batch=16",
                    "--out=" + folder.resolve("runs")),
                pairsAndOptions)
            .toArray(String[]::new));
  }

  @Tag("both")
  @Test
  void aRunLeavesItsFiles() throws IOException {
    assertThat(run("fmd", DATA.resolve("fmd"), "--epochs-whole=1", "--transform=4")).isZero();
    Path run = folder.resolve("runs/fmd_split1_spd_seed1");
    assertThat(run.toFile().list())
        .containsExactlyInAnyOrder(
            ".spd", "result.json", "predictions.csv", "model.zip", "model.json", "report.html");
    RunResult result = RunResult.read(run.resolve("result.json"));
    assertThat(result.run().method()).isEqualTo(Method.SPD);
    assertThat(result.run().dataSet()).isEqualTo(DataSetKind.FMD);
    assertThat(result.test().accuracy()).isBetween(0.0, 1.0);
    assertThat(result.test().classes()).hasSize(result.images().classes());
    assertThat(result.files().modelBytes()).isEqualTo(Files.size(run.resolve("model.zip")));
    assertThat(result.execution().seconds().image()).isPositive();
    assertThat(result.settings())
        .containsEntry("transform", "4")
        .containsEntry("plan", "RECOMMENDED");
    assertThat(result.execution().environment()).containsKeys("library", "dl4j", "java", "commit");
    assertThat(result.images().skipped())
        .hasSize(1)
        .first()
        .asString()
        .contains("water_object_004_new");
    assertThat(run.resolve("predictions.csv")).content().hasLineCount(1 + result.images().test());
    assertThat(run.resolve("report.html"))
        .content()
        .contains("while the head learns", "while the whole network learns", "‖WᵀW")
        .contains("water_object_004_new", "<th>precision</th>", "calibration error", "MB, ")
        .contains("./spd predict " + run, "./spd serve " + run, "ImageClassifier.load")
        .doesNotContain("could not be made")
        .doesNotContain("http");
  }

  @Test
  void partitionsAndSeedsMakeRuns() throws Exception {
    assertThat(
            run(
                "kth-tips-2b",
                DATA.resolve("kth-tips-2b"),
                "--method=kernel",
                "--partitions=2,4",
                "--seeds=1,2",
                "--validation=0.1",
                "--epochs-whole=0",
                "--training-views=plain",
                "--test-views=plain",
                "--drop-models"))
        .isZero();
    try (Stream<Path> folders = Files.list(folder.resolve("runs"))) {
      assertThat(folders.map(path -> path.getFileName().toString()))
          .hasSize(4 + 4)
          .contains(
              "features", "table.md", "table.html", "kth_tips_2b_sample_b_split1_kernel_seed2");
    }
    // Six sets of features for four runs: training, validation and test of two partitions.
    assertThat(folder.resolve("runs/features").toFile().list()).hasSize(1 + 6).contains(".spd");
    assertThat(folder.resolve("runs/table.md")).content().contains("| 4 ", "KTH-TIPS-2b, random");
    assertThat(folder.resolve("runs/kth_tips_2b_sample_d_split1_kernel_seed1/model.zip"))
        .doesNotExist();
  }

  @Test
  void everyDataSetRunsWithOneCommandAndATableComesOut() {
    String[] sets = {
      "dtd", "dtd-official", "fmd", "kth-tips-2b", "kth-tips", "folders", "folders-nested"
    };
    Stream<String> pairs =
        Stream.of(sets).flatMap(set -> Stream.of(set, data(set.replace("-official", ""))));
    int exit =
        runAll(
            Stream.concat(
                pairs,
                Stream.of(
                    "--method=b-cnn",
                    "--partitions=1",
                    "--validation=0.3",
                    "--epochs-whole=0",
                    "--training-views=plain",
                    "--test-views=plain",
                    "--drop-models")));
    assertThat(exit).as(err.toString()).isZero();
    for (DataSetKind kind : ExperimentKind.TEXTURE.dataSets()) {
      assertThat(out.toString())
          .contains("B-CNN")
          .containsPattern("\\| " + kind.title() + "( \\S+)?, random \\(");
      assertThat(folder.resolve("runs"))
          .isDirectoryContaining("glob:**/" + kind.name().toLowerCase(Locale.ROOT) + "_*seed1");
    }
    assertThat(folder.resolve("runs/table.md")).content().contains("| B-CNN", "67.9");
    assertThat(folder.resolve("runs/table.html")).content().contains("KTH-TIPS-2b, random (");
  }

  private static String data(String set) {
    return DATA.resolve(set).toString();
  }

  /** What one mixture lacks does not keep other methods from running. */
  @Test
  void aMixtureThatCannotBeIsReportedAfterTheOthers() {
    assertThat(
            run(
                "fmd",
                DATA.resolve("fmd"),
                "--methods=fv-cnn,b-cnn",
                "--components=10000",
                "--dimensions=2",
                "--epochs-whole=0",
                "--training-views=plain",
                "--test-views=plain"))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(folder.resolve("runs/fmd_split1_b-cnn_seed1/result.json")).exists();
    assertThat(err.toString()).startsWith("fmd_split1_fv-cnn_seed1 failed:").hasLineCount(1);
  }

  @Test
  void aTrainingThatGivesUpIsReportedAfterTheOthers() {
    assertThat(
            run(
                "fmd",
                DATA.resolve("fmd"),
                "--methods=b-cnn,spd",
                "--rate=convolution=1e30",
                "--batch=1", // in the first step the classifier learns alone
                "--epochs-head=4",
                "--epochs-whole=0",
                "--training-views=plain",
                "--test-views=plain"))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(folder.resolve("runs/fmd_split1_b-cnn_seed1/result.json")).exists();
    assertThat(folder.resolve("runs/fmd_split1_spd_seed1/result.json")).doesNotExist();
    assertThat(err.toString()).startsWith("fmd_split1_spd_seed1 failed:").hasLineCount(1);
  }

  @Test
  void mistakesGetOneLineAndLeaveNothing() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    assertThat(run("dtd", folder.resolve("nowhere"))).isEqualTo(Commands.USER_ERROR);
    assertThat(run("dtd", DATA.resolve("fmd"))).isEqualTo(Commands.USER_ERROR);
    assertThat(run("cub", DATA.resolve("cub"))).isEqualTo(Commands.USER_ERROR);
    assertThat(run("fmd", DATA.resolve("fmd"), "--backbone=resnet")).isEqualTo(Commands.USER_ERROR);
    assertThat(run("fmd", DATA.resolve("fmd"), "--method=best")).isEqualTo(Commands.USER_ERROR);
    assertThat(run("fmd", DATA.resolve("fmd"), "--partitions=7")).isEqualTo(Commands.USER_ERROR);
    for (String option : new String[] {"--sketch=0", "--components=0", "--dimensions=0"}) {
      assertThat(run("fmd", DATA.resolve("fmd"), option)).isEqualTo(Commands.USER_ERROR);
    }
    assertThat(run("fmd", DATA.resolve("fmd"), "--cut=conv9")).isEqualTo(Commands.USER_ERROR);
    assertThat(run("fmd", DATA.resolve("fmd"), "--out=" + file)).isEqualTo(Commands.USER_ERROR);
    Path empty =
        Files.createDirectories(folder.resolve("empty/image/wood")).getParent().getParent();
    assertThat(run("fmd", empty)).isEqualTo(Commands.USER_ERROR);
    for (String[] pairs :
        new String[][] {
          {"fmd"},
          {"fmd", data("fmd"), "dtd"},
          {"fmd", data("fmd"), "fmd", data("fmd")},
          {"fmd", data("fmd"), "cub", data("cub")},
          {"fmd", data("fmd"), "dtd", data("nowhere")},
          {"kth-tips", data("kth-tips"), "fmd", data("fmd"), "--partitions=2"}
        }) {
      assertThat(runAll(Stream.of(pairs))).isEqualTo(Commands.USER_ERROR);
    }
    assertThat(err.toString().lines()).hasSize(12 + 6);
    assertThat(err.toString())
        .contains("got resnet; did you mean resnet50?")
        .contains("got best\n")
        .contains("expected a FOLDER after each DATASET, got none after dtd")
        .contains("expected each data set once, got fmd twice")
        .contains("FMD: --partitions needs numbers from 1 to 1, got 2");
    assertThat(err.toString()).doesNotContain("Exception");
    assertThat(folder.resolve("runs")).doesNotExist();
  }
}
