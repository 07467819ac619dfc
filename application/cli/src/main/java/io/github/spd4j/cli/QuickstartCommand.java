/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.files.AtomicFile;
import io.github.spd4j.quickstart.Quickstart;
import io.github.spd4j.quickstart.QuickstartReport;
import io.github.spd4j.quickstart.QuickstartResult;
import io.github.spd4j.quickstart.QuickstartSettings;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code spd quickstart}. */
@Command(
    name = "quickstart",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Trains three heads on textures made by a program and writes a report.",
      "Needs no data and no network; takes a few minutes on two cores."
    })
public final class QuickstartCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  private final QuickstartSettings settings = new QuickstartSettings();

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FILE",
      description = "Where to write the report.")
  private Path report = Path.of("quickstart.html");

  /** For picocli. */
  public QuickstartCommand() {}

  @Option(names = "--seed", paramLabel = "N", description = "The seed of everything random.")
  void setSeed(long seed) {
    settings.seed = seed;
  }

  @Option(names = "--images", paramLabel = "N", description = "Training images of each class.")
  void setImages(int images) {
    settings.trainPerClass = atLeast(1, images, "--images");
  }

  @Option(names = "--epochs", paramLabel = "N", description = "The most epochs of stage one.")
  void setEpochs(int epochs) {
    settings.headEpochs = atLeast(1, epochs, "--epochs");
  }

  private int atLeast(int least, int value, String option) {
    if (value < least) {
      throw new ParameterException(
          spec.commandLine(), option + " needs a number of at least " + least + ", got " + value);
    }
    return value;
  }

  @Override
  public Integer call() {
    requireWritable();
    PrintWriter out = spec.commandLine().getOut();
    out.println("Training three heads on a small backbone, on textures made by a program.");
    out.flush();
    long start = System.nanoTime();
    QuickstartResult result = new Quickstart(settings, TerminalProgress::new).run();
    AtomicFile.write(report, new QuickstartReport(result).html());
    print(out, result);
    out.printf(Locale.ROOT, "%n%s%n", result.verdict());
    out.printf(
        Locale.ROOT,
        "Report: %s (%.0f s in all)%n",
        report.toAbsolutePath().normalize(),
        (System.nanoTime() - start) / 1e9);
    out.flush();
    return 0;
  }

  private void requireWritable() {
    Path folder = report.toAbsolutePath().getParent();
    if (!Files.isDirectory(folder) || !Files.isWritable(folder) || Files.isDirectory(report)) {
      throw new ParameterException(
          spec.commandLine(), "--out needs a file in a folder that can be written, got " + report);
    }
  }

  private static void print(PrintWriter out, QuickstartResult result) {
    out.println();
    line(out, QuickstartReport.tableHeader());
    QuickstartReport.tableRows(result).forEach(row -> line(out, row));
  }

  private static void line(PrintWriter out, List<String> cells) {
    out.printf("%-16s %14s %16s %12s %10s%n", cells.toArray());
  }
}
