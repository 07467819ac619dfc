/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.spd4j.internal.images.Png;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Names that would write to the terminal, begin lines, or turn the direction of writing. */
class HostileNamesTest {

  private static final String ESCAPE = "\u001b[31m";

  /** Turns the direction, if the locale has letters for it. */
  private static final String TURN =
      System.getProperty("sun.jnu.encoding", "").equals("UTF-8") ? "\u202e\u2066\u200f" : "";

  private static final List<String> CLASSES =
      List.of("a" + ESCAPE + "red", "b\nleaf 99.9 %", "c" + TURN + "\u0007\r");

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path pictures;

  @BeforeEach
  void write() throws IOException {
    pictures = Files.createDirectory(folder.resolve("pictures\u001b]0;mine\u0007"));
    for (String label : CLASSES) {
      Path target = Files.createDirectory(pictures.resolve(label));
      for (int i = 0; i < 8; i++) {
        write(target.resolve(i + "\nb.png: leaf" + ESCAPE + TURN + ".png"), i);
      }
      Files.writeString(target.resolve("notes" + ESCAPE + "\n.txt"), "none");
    }
    Files.writeString(pictures.resolve(CLASSES.get(0)).resolve("bad" + ESCAPE + "\n.png"), "bad");
  }

  private static void write(Path file, int seed) throws IOException {
    BufferedImage picture = new BufferedImage(32, 32, BufferedImage.TYPE_INT_RGB);
    Random random = new Random(seed + file.getParent().getFileName().toString().hashCode());
    for (int i = 0; i < 32 * 32; i++) {
      picture.setRGB(i % 32, i / 32, random.nextInt());
    }
    Files.write(file, Png.bytes(picture));
  }

  private int run(String... words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    PrintStream before = System.out;
    ByteArrayOutputStream direct = new ByteArrayOutputStream();
    System.setOut(new PrintStream(direct, true, StandardCharsets.UTF_8)); // for progress
    try {
      int code = spd.execute(words);
      assertShown("output", direct.toString(StandardCharsets.UTF_8));
      assertShown("output", out.toString());
      assertShown("errors", err.toString());
      return code;
    } finally {
      System.setOut(before);
    }
  }

  private static void assertShown(String what, String text) {
    for (String line : text.split("\r?\n")) {
      assertThat(line.codePoints().filter(HostileNamesTest::isHostile).boxed())
          .as("%s: %s", what, line)
          .isEmpty();
      assertThat(line).as(what).doesNotStartWith("leaf 99.9").doesNotStartWith("b.png");
    }
  }

  private static boolean isHostile(int letter) {
    return Character.getType(letter) == Character.FORMAT || Character.isISOControl(letter);
  }

  private void assertFilesShow() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (file.toString().matches("(?s).*\\.(csv|html|md)")) {
          assertShown(file.toString(), Files.readString(file));
        }
      }
    }
  }

  @Test
  void namesAreWrittenOut() throws IOException {
    Path model = folder.resolve("model");
    String[] train = {
      "train", pictures.toString(), "--out=" + model, "--backbone=random", "--size=32", "--batch=4"
    };
    assertThat(
            run(
                Stream.concat(Stream.of(train), Stream.of("--epochs-head=1"))
                    .toArray(String[]::new)))
        .as(err.toString())
        .isZero();
    assertThat(out.toString()).contains("Left out", "Not read", "\\u001b[31m");
    assertThat(
            run(
                "predict",
                model.toString(),
                pictures.toString(),
                "--csv=" + folder.resolve("all.csv"),
                "--json=" + folder.resolve("all.json"),
                "--sort-into=" + folder.resolve("sorted"),
                "--explain=" + folder.resolve("explained")))
        .isEqualTo(Commands.USER_ERROR); // one picture is none
    assertThat(err.toString()).contains("Not classified", "bad\\u001b[31m\\n.png");
    assertThat(out.toString().lines()).hasSize(8 * CLASSES.size());
    assertShown("JSON", Files.readString(folder.resolve("all.json")));
    JsonNode answers = new ObjectMapper().readTree(folder.resolve("all.json").toFile());
    assertThat(answers.get(0).path("class").asText()).isIn(CLASSES);
    assertThat(run("predict", model.toString(), pictures.toString(), "--json=-"))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(run("table", model.toString(), "--out=" + folder.resolve("table"))).isZero();
    assertThat(run("runs", folder.toString())).isZero();
    assertThat(run("check", pictures.toString(), "--csv=" + folder.resolve("found.csv")))
        .isEqualTo(Commands.USER_ERROR); // one picture is none
    assertThat(out.toString()).contains("bad\\u001b[31m\\n.png");
    assertThat(
            run(
                "check",
                pictures.toString(),
                "--labels=" + model,
                "--out=" + folder.resolve("labels" + ESCAPE)))
        .as(err.toString())
        .isZero();
    Path heads = folder.resolve("heads" + ESCAPE + TURN);
    assertThat(
            run(
                "train",
                pictures.toString(),
                "--methods=b-cnn,kernel",
                "--out=" + heads,
                "--backbone=random",
                "--size=32",
                "--epochs-head=1"))
        .as(err.toString())
        .isZero();
    assertThat(
            run(
                "compare",
                heads + "/b-cnn",
                heads + "/kernel",
                "--out=" + folder.resolve("page" + ESCAPE + ".html")))
        .as(err.toString())
        .isZero();
    assertFilesShow();
    assertThat(Files.readString(folder.resolve("all.csv"))).contains("b\\nleaf 99.9 %");
    for (String[] mistake :
        new String[][] {
          {"predict", model.toString(), "none\u001b[31m\n.png"},
          {"predict", "none\u001b[31m\n"},
          {"predict", model.toString(), "[\u001b"},
          {"export", "none\u001b[31m\n", "model.onnx"},
          {"export", model.toString(), pictures.toString()},
          {"train", pictures + "\u001b\u0007", "--out=" + folder.resolve("o")},
          {"train", pictures.toString(), "--out=" + pictures.resolve("\u001b")},
          {"train", "--none\u001b"},
          {"train", pictures.toString(), "--method=\u001b[1m\n", "--out=" + folder.resolve("o")},
          {"table", "none\u001b", "--out=" + folder.resolve("o")},
          {"check", "none\u001b[31m\n"},
          {"check", pictures.toString(), "--labels=none\u001b", "--out=" + folder.resolve("o")},
          {"compare", "none\u001b", "none\n"},
          {"runs", "none\u001b[31m\n"},
          {"runs", pictures.toString(), "--delete"},
          {"none\u001b[31m"}
        }) {
      assertThat(run(mistake)).isEqualTo(Commands.USER_ERROR);
    }
  }

  /** As long as a file system takes. */
  @Test
  void longNamesAreExplained() throws IOException {
    Path model = folder.resolve("model");
    Path long1 = folder.resolve("x".repeat(251) + ".png");
    Path long2 = folder.resolve("é".repeat(125) + ".png"); // more bytes than letters
    write(long1, 1);
    try {
      write(long2, 2);
    } catch (java.nio.file.InvalidPathException e) {
      long2 = long1; // the locale has no such letter
    }
    String[] train = {
      "train", pictures.toString(), "--out=" + model, "--backbone=random", "--size=32", "--batch=4"
    };
    assertThat(
            run(
                Stream.concat(Stream.of(train), Stream.of("--epochs-head=1"))
                    .toArray(String[]::new)))
        .isZero();
    Path explained = folder.resolve("explained");
    assertThat(
            run(
                "predict",
                model.toString(),
                long1.toString(),
                long2.toString(),
                "--explain=" + explained))
        .as(err.toString())
        .isZero();
    try (Stream<Path> files = Files.list(explained)) {
      assertThat(files).hasSize(long1.equals(long2) ? 3 : 4); // with index.html and the mark
    }
  }

  @Test
  void aCommandToCopyHasItsWords() {
    assertThat(Interruption.quoted(List.of("a b", "it's", "\u001b[1m'\n\\")))
        .isEqualTo("'a b' 'it'\\''s' $'\\u001b[1m\\'\\n\\\\'");
  }
}
