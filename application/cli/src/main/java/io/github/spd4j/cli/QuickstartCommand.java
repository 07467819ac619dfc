/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.TrainingSettings;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.quickstart.Quickstart;
import io.github.spd4j.quickstart.QuickstartReport;
import io.github.spd4j.quickstart.QuickstartResult;
import io.github.spd4j.quickstart.QuickstartSettings;
import io.github.spd4j.quickstart.QuickstartSummary;
import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.OutputFile;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code spd quickstart}. */
@Command(
    name = "quickstart",
    resourceBundle = "io.github.spd4j.cli.QuickstartCommand",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Trains three heads on textures made by a program and writes a report.",
      "Needs no data and no network; takes one to two minutes on two cores."
    })
public final class QuickstartCommand implements Callable<Integer> {

  private final QuickstartSettings settings = new QuickstartSettings();
  private int seeds = 1;
  private Path report = Path.of("quickstart.html");
  private CommandSpec spec;
  private SettingsOptions options;

  /** For picocli. */
  public QuickstartCommand() {}

  @Spec
  void setSpec(CommandSpec spec) {
    this.spec = spec;
    options = new SettingsOptions(spec);
    options.add("-o --out FILE", report, x -> report = x);
    options.add("--seed N", settings.seed, x -> settings.seed = SettingsOptions.seed(x));
    options.addAtLeast(1, "--seeds N", seeds, x -> seeds = x);
    options.addAtLeast(1, "--images N", settings.trainPerClass, x -> settings.trainPerClass = x);
    TrainingSettings training = settings.training;
    options.addAtLeast(1, "--epochs N", training.headEpochs, x -> training.headEpochs = x);
  }

  @Override
  public Integer call() {
    try {
      options.assign();
    } catch (UserException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    OutputFile file = requireWritable();
    PrintWriter out = spec.commandLine().getOut();
    out.println("Training three heads on a small backbone, on textures made by a program.");
    out.flush();
    long start = System.nanoTime();
    QuickstartSummary summary = new QuickstartSummary();
    long first = settings.seed;
    for (int i = 0; i < seeds; i++) {
      settings.seed = SettingsOptions.seed(first + i);
      QuickstartResult result = new Quickstart(settings, Terminal::progress).run();
      summary.add(result);
      print(out, result);
      if (i == 0) {
        file.write(new QuickstartReport(result).html());
      }
    }
    if (seeds > 1) {
      out.printf("%nMean and standard deviation over %d seeds, in percent:%n", seeds);
      summary.lines().forEach(out::println);
    }
    out.printf(
        Locale.ROOT,
        "%nReport: %s (%.0f s in all)%n",
        report.toAbsolutePath().normalize(),
        (System.nanoTime() - start) / 1e9);
    out.printf("%nNext: your own images, in one folder for each class:%n");
    out.println("  " + QuickstartReport.NEXT);
    out.flush();
    return 0;
  }

  private OutputFile requireWritable() {
    Path folder = report.toAbsolutePath().getParent();
    if (!Files.isDirectory(folder) || !Files.isWritable(folder) || Files.isDirectory(report)) {
      throw new ParameterException(
          spec.commandLine(), "--out needs a file in a folder that can be written, got " + report);
    }
    return OutputFile.at("--out", report, HtmlPage.BEGINNING);
  }

  private static void print(PrintWriter out, QuickstartResult result) {
    out.println();
    line(out, QuickstartReport.tableHeader());
    QuickstartReport.tableRows(result).forEach(row -> line(out, row));
    out.println();
    Terminal.say(out, result.verdict());
  }

  private static void line(PrintWriter out, List<String> cells) {
    out.printf("%-16s %14s %16s %12s %10s%n", cells.toArray());
  }
}
