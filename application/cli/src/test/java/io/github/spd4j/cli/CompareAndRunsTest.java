/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.Fixtures;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Several heads of one training, side by side; what runs take, and what is deleted with them. */
class CompareAndRunsTest {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path heads;

  private int run(String... words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return spd.execute(words);
  }

  private int train(String... options) {
    List<String> words = new java.util.ArrayList<>();
    words.addAll(List.of("train", Fixtures.dataSet("foldered").toString(), "--out=" + heads));
    words.addAll(List.of("--backbone=random", "--size=16", "--epochs-head=1", "--batch=4"));
    words.addAll(List.of(options));
    return run(words.toArray(String[]::new));
  }

  @BeforeEach
  void place() {
    heads = folder.resolve("heads");
  }

  @Test
  void headsAreTrainedComparedListedAndDeleted() throws IOException {
    assertThat(train("--methods=b-cnn,kernel")).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains("| b-cnn ", "| kernel ", "95 % interval", "has the most right", "compare.html");
    assertThat(out.toString().lines())
        .noneMatch(line -> line.startsWith("|") && line.length() > 80);
    assertThat(heads.resolve("compare.html")).content().contains("McNemar", "Kernel matrix");
    assertThat(train("--methods=b-cnn,kernel")).as(err.toString()).isZero();
    assertThat(run("predict", heads + "/kernel", Fixtures.dataSet("foldered").toString())).isZero();

    String page = folder.resolve("page.html").toString();
    assertThat(run("compare", heads + "/b-cnn", heads + "/kernel", "--out=" + page)).isZero();
    assertThat(Path.of(page)).content().contains("McNemar");
    assertThat(run("compare", heads + "/b-cnn")).isEqualTo(Commands.USER_ERROR);
    assertThat(run("compare", heads + "/b-cnn", heads.toString())).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).hasLineCount(1).contains("expected the folder of a finished run");
    Files.writeString(folder.resolve("thesis.html"), "years");
    Files.writeString(folder.resolve("free.html.tmp"), "years");
    Files.createSymbolicLink(folder.resolve("link"), Path.of("thesis.html"));
    Map<String, String> untouched = Tree.of(folder);
    for (String taken :
        List.of(
            "thesis.html", "link", "free.html", "heads/b-cnn/report.html", "heads/compare.html")) {
      assertThat(
              run("compare", heads + "/b-cnn", heads + "/kernel", "--out=" + folder.resolve(taken)))
          .as(taken)
          .isEqualTo(Commands.USER_ERROR);
      assertThat(Tree.of(folder)).isEqualTo(untouched);
    }

    assertThat(run("runs", folder.toString())).isZero();
    assertThat(out.toString())
        .contains("b-cnn: ", "kernel, ", " test images right", "features that 2 runs share");
    Files.writeString(heads.resolve("b-cnn/thesis.txt"), "years");
    Map<String, String> before = Tree.of(folder);
    for (String wrong : List.of(heads.toString(), folder.toString(), "nowhere")) {
      assertThat(run("runs", wrong, "--delete")).as(wrong).isEqualTo(Commands.USER_ERROR);
      assertThat(err.toString()).hasLineCount(1);
    }
    assertThat(Tree.of(folder)).isEqualTo(before);
    assertThat(run("runs", heads + "/b-cnn", heads + "/kernel", "--delete")).isZero();
    assertThat(heads.resolve("kernel")).doesNotExist();
    assertThat(heads.resolve("b-cnn").toFile().list()).contains("thesis.txt");
    assertThat(heads.resolve("features")).isDirectory();
    assertThat(run("runs", heads.toString(), "--delete-features")).isZero();
    assertThat(heads.resolve("features")).doesNotExist();
    assertThat(run("runs", folder.toString())).isZero();
    assertThat(out.toString()).isEqualTo("No runs.\n".replace("\n", System.lineSeparator()));
  }

  @Test
  void aPageOfSomebodyElseIsNotReplaced() throws IOException {
    assertThat(train("--methods=b-cnn,none")).isEqualTo(Commands.USER_ERROR);
    assertThat(train("--methods=b-cnn,kernel", "--all")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("leave --all out");
    assertThat(heads).doesNotExist();
    io.github.spd4j.internal.files.OwnFolder.claim("a test", heads);
    Files.writeString(heads.resolve("compare.html"), "mine");
    Map<String, String> before = Tree.of(folder);
    assertThat(train("--methods=b-cnn,kernel")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).hasLineCount(1).contains("compare.html was not made by spd");
    assertThat(Tree.of(folder)).isEqualTo(before);
  }
}
