/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.internal.files.OwnFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** One file or another of a run cannot be written. */
class UnwritableFilesTest {

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
    OwnFolder.claim("a test", folder);
    Path run = folder.resolve("folders_as-foldered_split1_b-cnn_seed1");
    OwnFolder own = OwnFolder.claim("a test", run);
    for (String name :
        new String[] {
          "settings.json", "clock.json", "checkpoint.zip", "predictions.csv", "result.json"
        }) {
      err.getBuffer().setLength(0);
      own.own(name);
      Path inTheWay = Files.createDirectory(run.resolve(name + ".tmp"));
      assertThat(run()).as(name).isEqualTo(Commands.USER_ERROR);
      assertThat(err.toString())
          .hasLineCount(1)
          .startsWith("cannot write " + run.resolve(name))
          .contains("a disk that is not full", name + ".tmp is in the way");
      assertThat(inTheWay).isEmptyDirectory();
      assertThat(run.resolve(name)).doesNotExist();
      assertThat(run.resolve("result.json")).doesNotExist();
      Files.delete(inTheWay);
    }
    assertThat(run()).isZero();
    assertThat(run.resolve("result.json")).exists();
  }
}
