/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.experiments.ExperimentOptions;
import io.github.spd4j.experiments.ExperimentSeries;
import io.github.spd4j.experiments.RunResult;
import io.github.spd4j.tables.TableFiles;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What the commands for the paper's experiments share. */
public abstract class ExperimentCommand implements Callable<Integer> {

  private final Set<DataSetKind> kinds;

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "(DATASET FOLDER)...",
      hideParamSyntax = true,
      description = "The kind of a data set and where it lies; one pair or more.")
  private List<String> pairs;

  @Mixin private ExperimentOptions options = new ExperimentOptions();

  /**
   * A command.
   *
   * @param kinds the data sets that it takes
   */
  protected ExperimentCommand(Set<DataSetKind> kinds) {
    this.kinds = kinds;
  }

  @Override
  public final Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Map<DataSetKind, String> places = new DataSetPairs(kinds).read(pairs);
    ExperimentSeries series = new ExperimentSeries(places, options, out, TerminalProgress::new);
    List<RunResult> results = series.run();
    results.forEach(result -> print(out, result));
    if (!results.isEmpty() && results.size() + series.failures().size() > 1) {
      out.print("\n" + TableFiles.write(List.of(options.out), options.out) + "\n");
    }
    out.println("Runs: " + options.out.toAbsolutePath().normalize());
    out.flush();
    return exitCode(series.failures());
  }

  private int exitCode(Map<String, String> failures) {
    PrintWriter err = spec.commandLine().getErr();
    failures.forEach((run, reason) -> err.println(run + " failed: " + reason));
    err.flush();
    return failures.isEmpty() ? 0 : Commands.FAILURE;
  }

  private static void print(PrintWriter out, RunResult result) {
    out.printf(
        Locale.ROOT,
        "%-40s %-34s training seed %d: %.1f %%%n",
        result.method().title(),
        result.dataSet().title() + ", " + result.place(),
        result.seed(),
        100 * result.accuracy());
  }
}
