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
import java.util.Map;
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

  /**
   * Of the two commands of one kind each, every second method; the campaign takes all with each.
   */
  static Stream<Arguments> commands() {
    List<Method> all = List.of(Method.values());
    boolean isCampaign = System.getProperty("spd4j.campaign") != null;
    Map<Boolean, List<Method>> halves =
        all.stream().collect(Collectors.partitioningBy(method -> method.ordinal() % 2 == 0));
    return Stream.of(
        Arguments.of("texture", isCampaign ? all : halves.get(true)),
        Arguments.of("fine-grained", isCampaign ? all : halves.get(false)),
        Arguments.of("paper", all));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void haveEveryMethod(String command, List<Method> methods) throws IOException {
    String keys =
        methods.size() == Method.values().length
            ? "all"
            : methods.stream().map(Method::key).collect(Collectors.joining(","));
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
