/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.Method;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... words) {
    return Main.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(words);
  }

  @Test
  void aWrongCommandGetsAGuess() {
    assertThat(run("pedict")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("'pedict'; did you mean predict?").hasLineCount(2);
  }

  @Test
  void aWrongOptionGetsAGuess() {
    assertThat(run("texture", "fmd", "FMD", "--metod=spd")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("'--metod=spd'; did you mean --method?").hasLineCount(2);
  }

  @Test
  void wrongMethodsDataSetsAndBackbonesGetAGuess() {
    assertThat(run("texture", "fmd", "FMD", "--method=spd-rot")).isEqualTo(Commands.USER_ERROR);
    assertThat(run("texture", "dtd-offical", "DTD")).isEqualTo(Commands.USER_ERROR);
    assertThat(run("texture", "fmd", "FMD", "--backbone=vgg")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString().lines())
        .hasSize(3)
        .anyMatch(line -> line.endsWith("got spd-rot; did you mean spd-root?"))
        .anyMatch(line -> line.endsWith("got the data set dtd-offical; did you mean dtd-official?"))
        .anyMatch(line -> line.endsWith("got vgg; did you mean vgg16?"));
  }

  @Test
  void theHelpListsAllMethods() {
    for (String command : List.of("train", "texture", "fine-grained", "paper")) {
      out.getBuffer().setLength(0);
      assertThat(run(command, "--help-methods")).isZero();
      assertThat(out.toString()).contains(Method.keys());
      out.getBuffer().setLength(0);
      assertThat(run(command, "--help")).isZero();
      assertThat(out.toString())
          .contains("spd-root: ", "isqrt-cov: ", "b-cnn: ")
          .contains("--help-methods shows all " + Method.values().length)
          .doesNotContain("deep-ten");
    }
  }

  @Test
  void helpHasLinesThatEndBetweenWords() {
    for (CommandLine command : Main.commandLine().getSubcommands().values()) {
      String help = command.getUsageMessage();
      assertThat(help.lines()).allMatch(line -> line.length() <= 80);
      assertThat(help.lines())
          .as(command.getCommandName())
          .noneMatch(line -> line.matches(".*[/=]$|.*FILE\\.$"));
    }
    assertThat(Words.lines("ab cd efg", 6, "  ")).containsExactly("ab cd", "  efg");
    assertThat(Words.lines("a/long/path and more", 6, "  "))
        .containsExactly("a/long/path", "  and", "  more");
    assertThat(Words.lines("", 4, "  ")).containsExactly("");
  }

  /** For these 0 means that the size depends on something else, and the help says on what. */
  @Test
  void theHelpDoesNotTakeZeroForASize() {
    assertThat(run("train", "--help")).isZero();
    assertThat(run("texture", "--help")).isZero();
    assertThat(out.toString())
        .containsPattern("--size=PIXELS\\s[^=]*unless\\s+set[^=]*224")
        .doesNotContainPattern("--(size|transform|spark-workers)=[^=]*Default: 0");
  }
}
