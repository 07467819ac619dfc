/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.Fixtures;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Names with other letters than A to Z, where the locale has no others. */
@EnabledOnOs(OS.LINUX) // elsewhere Java takes no notice of the locale
class LocaleTest {

  /** The letter ä in UTF-8, as a shell's printf takes it. */
  private static final String LETTER = "\\303\\244";

  private static final String LEAVES = Fixtures.dataSet("folders/leaf").toString();

  @TempDir Path folder;

  private String output(int code, String... words) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder.directory(folder.toFile()).environment().put("LC_ALL", "C");
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), US_ASCII);
    assertThat(process.waitFor()).as(output).isEqualTo(code);
    return output;
  }

  /** The shell, not this process, makes the folder: the tests may run in such a locale, too. */
  @Test
  void aFolderIsRefusedWithWhatToDo() throws IOException, InterruptedException {
    output(0, "sh", "-c", "mkdir in && cp -r \"$0\" \"$(printf 'in/B" + LETTER + "ume')\"", LEAVES);
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes = System.getProperty("java.class.path");
    String main = Main.class.getName();
    String[] train = {
      java, "-XX:TieredStopAtLevel=1", "-cp", classes, main, "train", "in", "--out=run"
    };
    assertThat(output(Commands.USER_ERROR, train))
        .contains("ume: its name has letters that the locale has not")
        .contains("run with a locale of UTF-8, such as LC_ALL=C.UTF-8, or rename it")
        .doesNotContain("Exception");
  }

  /** No locale has this name. */
  @Test
  void aNameThatTheSystemCannotHave() {
    StringWriter err = new StringWriter();
    for (String command : List.of("train", "paper folders", "predict model")) {
      String[] words = (command + " a\0b --out=run").split(" ");
      CommandLine spd = Main.commandLine().setErr(new PrintWriter(err));
      assertThat(spd.execute(words)).as(err.toString()).isEqualTo(Commands.USER_ERROR);
    }
    assertThat(err.toString()).contains("no name that the locale can have").doesNotContain("Exc");
  }
}
