/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.experiments.Method;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Every command that compares methods trains every one. */
class ComparisonsTest {

  private static final String PICTURES = Fixtures.dataSet("foldered").toString();

  private static final List<String> QUICK =
      List.of("--backbone=random", "--size=16", "--epochs-head=1", "--batch=4");

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();

  private int execute(Stream<String> words) {
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(Writer.nullWriter())).setErr(new PrintWriter(err));
    return spd.execute(Stream.concat(words, QUICK.stream()).toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"texture", "fine-grained", "paper"})
  void haveEveryMethod(String command) throws IOException {
    int code =
        execute(
            Stream.of(
                command,
                "folders",
                PICTURES,
                "--out=" + folder,
                "--epochs-whole=0",
                "--methods=all"));
    assertThat(code).as(err.toString()).isZero();
    try (Stream<Path> runs = Files.list(folder)) {
      assertThat(runs.filter(run -> Files.exists(run.resolve("result.json"))))
          .hasSameSizeAs(Method.values());
    }
  }
}
