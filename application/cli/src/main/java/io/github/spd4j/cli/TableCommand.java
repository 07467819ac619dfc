/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.tables.TableFiles;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code spd table}. */
@Command(
    name = "table",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Puts the results of runs beside the paper's table.")
public final class TableCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "RUNS", description = "Folders with finished runs.")
  private List<Path> places;

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FOLDER",
      description = "Where to write table.html and table.md.")
  private Path out = Path.of(".");

  /** For picocli. */
  public TableCommand() {}

  @Override
  public Integer call() {
    PrintWriter writer = spec.commandLine().getOut();
    List<String> unread = new ArrayList<>();
    writer.print(TableFiles.write(places, out, unread::add));
    writer.flush();
    return Commands.endWithout(unread, spec.commandLine());
  }
}
