/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.finegrained;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.examples.cli.Commands;
import io.github.spd4j.examples.experiments.RunResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class FineGrainedCommandTest {

  private static final Path DATA =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/datasets");

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @CsvSource({"cub, cub, spd", "aircraft, aircraft, vgg-16", "folders, folders, conv128-kernel"})
  void runsEndToEnd(String kind, String root, String method) throws Exception {
    CommandLine command = Commands.line(new FineGrainedCommand());
    command.setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(err));
    int exit =
        command.execute(
            kind,
            DATA.resolve(root).toString(),
            "--method=" + method,
            "--backbone=random",
            "--epochs-head=1",
            "--epochs-whole=1",
            "--validation=0.3",
            "--out=" + folder);
    assertThat(err.toString()).isEmpty();
    assertThat(exit).isZero();
    try (Stream<Path> files = Files.walk(folder)) {
      Path file = files.filter(path -> path.endsWith("result.json")).findFirst().orElseThrow();
      RunResult result = RunResult.read(file);
      assertThat(result.method().key()).isEqualTo(method);
      assertThat(result.settings())
          .containsEntry("trainingViews", "PLAIN")
          .containsEntry("testViews", "PLAIN");
    }
  }
}
