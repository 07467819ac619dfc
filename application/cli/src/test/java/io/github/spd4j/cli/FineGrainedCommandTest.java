/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.RunResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("both")
class FineGrainedCommandTest {

  private static final Path DATA =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/datasets");

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();

  @Test
  void everyDataSetRunsWithOneCommand() {
    CommandLine command = Commands.line(ExperimentCommand.fineGrained());
    command.setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(err));
    int exit =
        command.execute(
            "cub",
            DATA.resolve("cub").toString(),
            "aircraft",
            DATA.resolve("aircraft").toString(),
            "folders",
            DATA.resolve("folders").toString(),
            "--method=conv128-kernel",
            "--backbone=random",
            "--epochs-head=1",
            "--epochs-whole=0",
            "--validation=0.3",
            "--out=" + folder);
    assertThat(err.toString()).isEmpty();
    assertThat(exit).isZero();
    for (String run :
        new String[] {"cub_official_split1", "aircraft_official_split1", "folders_split1"}) {
      RunResult result = RunResult.read(folder.resolve(run + "_conv128-kernel_seed1/result.json"));
      assertThat(result.settings())
          .containsEntry("trainingViews", "PLAIN")
          .containsEntry("testViews", "PLAIN");
    }
  }
}
