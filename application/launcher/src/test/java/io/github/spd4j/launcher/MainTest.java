/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.cli.Commands;
import io.github.spd4j.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(out));
    spd.setErr(new PrintWriter(err));
    return spd.execute(args);
  }

  @Test
  void listsItsCommands() {
    assertThat(run()).isZero();
    assertThat(out.toString())
        .contains(
            "Usage: spd",
            "quickstart",
            "check",
            "train",
            "texture",
            "fine-grained",
            "paper",
            "compare",
            "table",
            "runs",
            "predict",
            "export",
            "serve",
            "bench");
  }

  /**
   * With each version of Deeplearning4j: with the other one, only tests with this tag run in the
   * application.
   */
  @Test
  void everyCommandThatComputesIsTestedOnBothVersions() throws IOException {
    Map<String, String> tests =
        Map.of(
            "check", "cli/src/test/java/io/github/spd4j/cli/CheckCommandTest",
            "export", "cli/src/test/java/io/github/spd4j/cli/ExportTest",
            "quickstart", "experiments/src/test/java/io/github/spd4j/quickstart/QuickstartTest",
            "train", "cli/src/test/java/io/github/spd4j/cli/TrainCommandTest",
            "texture", "cli/src/test/java/io/github/spd4j/cli/TextureCommandTest",
            "fine-grained", "cli/src/test/java/io/github/spd4j/cli/FineGrainedCommandTest",
            "paper", "cli/src/test/java/io/github/spd4j/cli/PaperCommandTest",
            "predict", "cli/src/test/java/io/github/spd4j/cli/PredictTest",
            "serve", "serve/src/test/java/io/github/spd4j/serve/ServeCommandTest",
            "bench", "../benchmarks/src/test/java/io/github/spd4j/benchmarks/BenchCommandTest");
    Set<String> commands = new HashSet<>(Main.commandLine().getSubcommands().keySet());
    commands.removeAll(Set.of("table", "compare", "runs")); // these read what others have computed
    assertThat(tests.keySet()).isEqualTo(commands);
    Path application = Path.of(System.getProperty("spd4j.root"), "application");
    for (String test : tests.values()) {
      assertThat(application.resolve(test + ".java")).content().contains("@Tag(\"both\")");
    }
  }

  @Test
  void everyCommandHasHelp() {
    for (String command : Main.commandLine().getSubcommands().keySet()) {
      assertThat(run(command, "--help")).isZero();
      assertThat(out.toString()).contains("Usage: spd " + command);
    }
  }

  /** They choose the class path, which these tests have without a GPU and MKL. */
  @Test
  void whatTheScriptChoosesIsOfferedByAllAndRefusedWithoutIt() {
    for (String command : Main.commandLine().getSubcommands().keySet()) {
      for (String[] asked :
          new String[][] {
            {command, "--gpu", "--gpu is an option of ./spd"},
            {command, "--blas=mkl", "--blas mkl: MKL is for ./spd on Linux on x86"},
            {command, "--blas=other", "--blas: expected openblas or mkl, got other"}
          }) {
        err.getBuffer().setLength(0);
        assertThat(run(asked[0], asked[1])).isEqualTo(Commands.USER_ERROR);
        assertThat(err.toString()).startsWith(asked[2]).contains("--help");
      }
    }
    run("--help");
    assertThat(out.toString()).contains("--gpu", "--blas=NAME");
  }

  @Test
  void missingDataGetsOneLineAndExitCodeTwo() {
    for (String[] args :
        new String[][] {
          {"texture", "dtd", "no/such/folder"},
          {"fine-grained", "cub", "no/such/folder"},
          {"paper", "cub", "no/such/folder", "dtd", "DTD"},
          {"table", "no/such/folder"},
          {"compare", "no/such/folder", "no/such/other"},
          {"runs", "no/such/folder"},
          {"check", "no/such/folder"},
          {"predict", "no/such/folder", "image.png"},
          {"export", "no/such/folder", "model.onnx"},
          {"serve", "no/such/folder"}
        }) {
      err.getBuffer().setLength(0);
      assertThat(run(args)).isEqualTo(Commands.USER_ERROR);
      assertThat(err.toString().lines()).hasSize(1);
      assertThat(err.toString()).contains("no/such/folder").doesNotContain("Exception");
    }
  }

  @Test
  void aMistakeGetsOneLineAndExitCodeTwo() {
    for (String[] args :
        new String[][] {
          {"quikstart"},
          {"quickstart", "--images", "many"},
          {"quickstart", "--images", "0"},
          {"quickstart", "--out", "no/such/folder/report.html"}
        }) {
      err.getBuffer().setLength(0);
      assertThat(run(args)).isEqualTo(Commands.USER_ERROR);
      assertThat(err.toString().lines()).hasSize(2);
      assertThat(err.toString()).contains("--help").doesNotContain("Exception");
    }
  }
}
