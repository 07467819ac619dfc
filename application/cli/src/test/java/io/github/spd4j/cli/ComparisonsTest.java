/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.experiments.Method;
import io.github.spd4j.testing.Generator;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The commands that compare methods train every one. */
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

  /** Each method with one of the commands; in a campaign all with each. */
  static Stream<Arguments> commands() {
    int share = Generator.isCampaign() ? 1 : 3;
    return Stream.of(
        Arguments.of("texture", methods(0, share)),
        Arguments.of("fine-grained", methods(1 % share, share)),
        Arguments.of("paper", methods(2 % share, share)));
  }

  private static List<Method> methods(int first, int share) {
    return Stream.of(Method.values()).filter(each -> each.ordinal() % share == first).toList();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void haveEveryMethod(String command, List<Method> methods) throws IOException {
    String keys = methods.stream().map(Method::key).collect(Collectors.joining(","));
    int code =
        execute(
            Stream.of(
                command,
                "folders",
                PICTURES,
                "--out=" + folder,
                "--epochs-whole=0",
                "--methods=" + keys));
    assertThat(code).as(err.toString()).isZero();
    try (Stream<Path> runs = Files.list(folder)) {
      assertThat(runs.filter(run -> Files.exists(run.resolve("result.json"))))
          .hasSameSizeAs(methods);
    }
  }
}
