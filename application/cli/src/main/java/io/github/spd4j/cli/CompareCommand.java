/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.UserException;
import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.OutputFile;
import io.github.spd4j.reports.Printable;
import io.github.spd4j.tables.Comparison;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code spd compare}. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Shows runs with the same test images side by side.")
public final class CompareCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "RUNS", description = "Folders of finished runs.")
  private List<Path> places;

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FILE",
      description = "Where to write the page.")
  private Path out = Path.of("compare.html");

  /** For picocli. */
  public CompareCommand() {}

  @Override
  public Integer call() {
    if (places.size() < 2) {
      throw new UserException("expected two runs or more, got " + places.get(0));
    }
    Comparison comparison = new Comparison(places);
    OutputFile.at("--out", out, HtmlPage.BEGINNING).write(comparison.html());
    PrintWriter writer = spec.commandLine().getOut();
    writer.print(comparison.table());
    Terminal.say(writer, comparison.verdict());
    writer.println("Page: " + Printable.of(out));
    writer.flush();
    return 0;
  }
}
