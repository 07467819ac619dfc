/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.experiments.RunResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("both")
class PaperCommandTest {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();

  @Test
  void everyDataSetGoesByItsOwnProtocol() {
    // No epochs and no validation: a classifier is fitted, and there is nothing to draw.
    CommandLine paper = Commands.line(ExperimentCommand.paper()).setOut(new PrintWriter(out));
    int exit =
        paper.execute(
            "cub",
            Fixtures.dataSet("cub").toString(),
            "DTD",
            Fixtures.dataSet("dtd").toString(),
            "--method=b-cnn",
            "--backbone=random",
            "--epochs-head=0",
            "--epochs-whole=0",
            "--validation=0",
            "--out=" + folder);
    assertThat(exit).isZero();
    assertThat(result("cub_official_split1").settings()).containsEntry("testViews", "PLAIN");
    assertThat(result("dtd_split1").settings()).containsEntry("testViews", "FIVE_CROPS");
    assertThat(out.toString())
        .contains("DTD, random (a)", "CUB-200-2011, random (b)", "Table 1: 69.6")
        .contains("Runs: " + folder);
    assertThat(folder).isDirectoryContaining("glob:**/table.html");
    assertThat(folder.resolve("dtd_split1_b-cnn_seed1/report.html"))
        .content()
        .contains(
            "drawn at random with seed 1; training seed 1", "nothing was learnt step by step");
  }

  private RunResult result(String place) {
    return RunResult.read(folder.resolve(place + "_b-cnn_seed1/result.json"));
  }
}
