/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.github.spd4j.experiments.Fixtures;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** A pipe in place of a file is refused: nobody waits for who never writes into it. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class PipesTest {

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "train SET --out=OUT --backbone=onnx:PIPE",
        "train SET --out=OUT --backbone=vgg16:PIPE",
        "train SET --out=OUT --backbone=resnet50:PIPE",
        "train SET --out=OUT --backbone=resnet50v2:PIPE",
        "train SET --out=OUT --backbone=googlenet:PIPE",
        "train SET --out=OUT --backbone=graph:PIPE",
        "predict PIPE SET",
        "compare PIPE PIPE",
        "runs PIPE",
        "export PIPE OUT"
      })
  void isRefused(String command) throws Exception {
    for (String name : new String[] {"file.safetensors", "file.onnx", "file.zip"}) {
      Path pipe = folder.resolve(name);
      assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
      String words =
          command
              .replace("SET", Fixtures.dataSet("folders").toString())
              .replace("OUT", folder.resolve("out").toString())
              .replace("PIPE", pipe.toString());
      StringWriter err = new StringWriter();
      CommandLine spd = Main.commandLine();
      spd.setOut(new PrintWriter(Writer.nullWriter())).setErr(new PrintWriter(err));
      int code =
          assertTimeoutPreemptively(
              Duration.ofSeconds(20), () -> spd.execute(words.split(" ")), words);
      assertThat(code).as("%s: %s", words, err).isEqualTo(Commands.USER_ERROR);
      assertThat(err.toString()).doesNotContain("Exception");
    }
  }
}
