/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;

/** What a user is asked to report: a file with what failed, and how. */
record BugReport(CommandLine command, Throwable failure) {

  /** Where the file is, or why there is none, as the end of a sentence. */
  String written() {
    try {
      Path file = Files.createTempFile("spd-failure-", ".txt");
      Files.writeString(file, text());
      return "with the file " + file;
    } catch (IOException e) {
      return "with what SPD_DEBUG=1 prints, since no file could be written (" + e + ")";
    }
  }

  private String text() {
    StringWriter text = new StringWriter();
    PrintWriter writer = new PrintWriter(text);
    writer.println(Interruption.command(command));
    writer.println("commit " + System.getProperty("spd4j.commit", "unknown"));
    for (String name : new String[] {"java.vm.name", "java.version", "os.name", "os.arch"}) {
      writer.println(name + " " + System.getProperty(name));
    }
    Runtime machine = Runtime.getRuntime();
    writer.println("processors " + machine.availableProcessors());
    writer.println("heap " + machine.totalMemory() + " of " + machine.maxMemory() + " bytes");
    writer.println();
    failure.printStackTrace(writer);
    writer.flush();
    return text.toString();
  }
}
