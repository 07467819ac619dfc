/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.Fixtures;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server on which Java cannot draw text, since it lacks the native libraries for fonts. */
class NoFontsTest {

  @TempDir Path folder;

  @Test
  void aTrainingEndsWithItsReport() throws Exception {
    Path run = folder.resolve("run");
    Path log = folder.resolve("log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add("-Djava.awt.headless=true");
    command.addAll(List.of("--patch-module", "java.desktop=" + brokenFonts()));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(WithoutFonts.class.getName());
    command.addAll(List.of(Fixtures.dataSet("foldered").toString(), run.toString()));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertThat(process.waitFor()).as(() -> read(log)).isZero();
    assertThat(run.resolve("report.html")).content().contains("<svg").doesNotContain("not be made");
  }

  /** A class of Java's own that cannot be loaded: whatever needs a font ends in an error. */
  private Path brokenFonts() throws IOException {
    Path classes = folder.resolve("classes");
    Path fonts = Files.createDirectories(classes.resolve("sun/font"));
    Files.createFile(fonts.resolve("FontManagerFactory.class"));
    return classes;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** What the child process runs. */
  static final class WithoutFonts {

    private WithoutFonts() {}

    public static void main(String[] args) {
      Graphics2D canvas = new BufferedImage(9, 9, BufferedImage.TYPE_INT_RGB).createGraphics();
      try {
        canvas.drawString("a", 0, 9);
        System.exit(3); // this machine has them, so that nothing is tested
      } catch (LinkageError expected) {
        List<String> train = List.of("train", args[0], "--out=" + args[1]);
        List<String> small =
            List.of("--backbone=random", "--batch=4", "--epochs-head=2", "--epochs-whole=0");
        String[] all = Stream.of(train, small).flatMap(List::stream).toArray(String[]::new);
        System.exit(Main.commandLine().execute(all));
      }
    }
  }
}
