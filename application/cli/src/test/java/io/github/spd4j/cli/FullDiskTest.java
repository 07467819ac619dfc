/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.experiments.Fixtures;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A disk that is full when one file or another of a run is to be written. */
class FullDiskTest {

  /** It takes no byte, as a full disk. */
  private static final Path FULL = Path.of("/dev/full");

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();

  private int run() {
    CommandLine paper = Commands.line(ExperimentCommand.paper());
    paper.setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(err));
    return paper.execute(
        "folders",
        Fixtures.dataSet("foldered").toString(),
        "--method=b-cnn",
        "--backbone=random",
        "--epochs-head=1",
        "--epochs-whole=0",
        "--validation=0",
        "--out=" + folder);
  }

  @Test
  void oneLineSaysSoAndNothingIsLeftHalf() throws IOException {
    assumeTrue(Files.exists(FULL));
    Path run = Files.createDirectory(folder.resolve("folders_as-foldered_split1_b-cnn_seed1"));
    for (String name :
        new String[] {
          "settings.json", "clock.json", "checkpoint.zip", "predictions.csv", "result.json"
        }) {
      err.getBuffer().setLength(0);
      Path partial = Files.createSymbolicLink(run.resolve(name + ".tmp"), FULL);
      assertThat(run()).as(name).isEqualTo(Commands.USER_ERROR);
      assertThat(err.toString())
          .hasLineCount(1)
          .startsWith("cannot write " + run.resolve(name))
          .contains("a disk that is not full", "No space left on device");
      assertThat(partial).doesNotExist();
      assertThat(run.resolve(name)).doesNotExist();
      assertThat(run.resolve("result.json")).doesNotExist();
    }
    assertThat(run()).isZero();
    assertThat(run.resolve("result.json")).exists();
  }
}
