/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.launcher;

import io.github.spd4j.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Trains again and again in one process, until somebody ends it. */
final class TrainingLoop {

  private TrainingLoop() {}

  /** Arguments: the pictures, and a folder to work in. */
  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[1]);
    for (int run = 0; ; run++) {
      Path out = folder.resolve("run" + run);
      CommandLine spd = Main.commandLine();
      spd.setOut(new PrintWriter(Writer.nullWriter()));
      int code = spd.execute(SoakTest.train(Path.of(arguments[0]), out).toArray(String[]::new));
      if (code != 0) {
        System.exit(code);
      }
      delete(out);
      Files.writeString(folder.resolve("runs"), String.valueOf(run + 1));
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }
}
