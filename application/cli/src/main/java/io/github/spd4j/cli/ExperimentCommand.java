/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.experiments.Experiment;
import io.github.spd4j.experiments.ExperimentKind;
import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.Method;
import io.github.spd4j.experiments.Platform;
import io.github.spd4j.experiments.Preparation;
import io.github.spd4j.experiments.RunQueue;
import io.github.spd4j.experiments.RunResult;
import io.github.spd4j.experiments.TimeEstimate;
import io.github.spd4j.reports.Printable;
import io.github.spd4j.tables.TableFiles;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code spd texture}, {@code spd fine-grained} and {@code spd paper}. */
@Command(
    resourceBundle = "io.github.spd4j.cli.ExperimentCommand",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false)
public final class ExperimentCommand implements Callable<Integer> {

  private final String name;
  private final ExperimentKind kind;
  private final Set<DataSetKind> kinds;

  private CommandSpec spec;
  private ExperimentOptions options;

  @Parameters(
      arity = "1..*",
      paramLabel = "(DATASET FOLDER)...",
      hideParamSyntax = true,
      description = "The kind of a data set and its folder; one pair or more.")
  private List<String> pairs;

  private ExperimentCommand(String name, ExperimentKind kind, Set<DataSetKind> kinds) {
    this.name = name;
    this.kind = kind;
    this.kinds = kinds;
  }

  /**
   * The command for textures.
   *
   * @return {@code spd texture}
   */
  public static ExperimentCommand texture() {
    return of("texture", ExperimentKind.TEXTURE);
  }

  /**
   * The command for fine-grained classes.
   *
   * @return {@code spd fine-grained}
   */
  public static ExperimentCommand fineGrained() {
    return of("fine-grained", ExperimentKind.FINE_GRAINED);
  }

  /**
   * The command for data sets of both kinds.
   *
   * @return {@code spd paper}
   */
  public static ExperimentCommand paper() {
    return new ExperimentCommand("paper", null, EnumSet.allOf(DataSetKind.class));
  }

  private static ExperimentCommand of(String name, ExperimentKind kind) {
    return new ExperimentCommand(name, kind, kind.dataSets());
  }

  @Spec
  void setSpec(CommandSpec spec) {
    this.spec = spec.name(name);
    spec.usageMessage().description(spec.resourceBundle().getString(name).split("\n"));
    this.options = new ExperimentOptions(spec);
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    ExperimentSettings settings = options.settings();
    settings.kind = kind;
    Map<DataSetKind, String> folders = new DataSetPairs(kinds).read(pairs);
    return Interruption.during(
        spec,
        () -> {
          try (Platform platform = Preparation.platform(settings)) {
            Preparation preparation =
                new Preparation(
                    settings, platform, line -> Terminal.say(out, line), Terminal::progress);
            List<Experiment> experiments = preparation.experiments(folders);
            if (settings.cluster.master == null) {
              announce(experiments, out);
            }
            return run(new RunQueue(settings, experiments), settings);
          }
        });
  }

  /** What is wrong with a method, its run says. */
  private static void announce(List<Experiment> experiments, PrintWriter out) {
    try {
      experiments.stream()
          .flatMap(experiment -> experiment.timeEstimate().stream())
          .reduce(TimeEstimate::plus)
          .ifPresent(time -> Terminal.say(out, time.sentence()));
    } catch (IllegalStateException | ArithmeticException e) {
      Terminal.say(
          out, "How long this will take is not known: a method cannot be tried on a few images.");
    }
  }

  private int run(RunQueue queue, ExperimentSettings settings) {
    PrintWriter out = spec.commandLine().getOut();
    List<RunResult> results = queue.run();
    results.forEach(result -> print(out, result));
    if (!results.isEmpty() && results.size() + queue.failures().size() > 1) {
      List<String> unread = new ArrayList<>();
      String table = TableFiles.write(List.of(settings.out), settings.out, unread::add);
      out.print("\n" + table + "\n");
      unread.forEach(line -> out.println("Not read: " + Printable.of(line)));
    }
    if (!queue.elsewhere().isEmpty()) {
      Terminal.say(
          out,
          "Other processes are working on %s. The same command shows all results later."
              .formatted(String.join(", ", queue.elsewhere().keySet())));
    }
    Terminal.substitute(settings).ifPresent(line -> Terminal.say(out, line));
    out.println("Runs: " + Printable.of(settings.out.toAbsolutePath().normalize()));
    out.flush();
    return exitCode(spec, queue.failures());
  }

  static int exitCode(CommandSpec spec, Map<String, String> failures) {
    PrintWriter err = spec.commandLine().getErr();
    failures.forEach((run, reason) -> Terminal.say(err, run + " failed: " + reason));
    return failures.isEmpty() ? 0 : Commands.USER_ERROR;
  }

  private static void print(PrintWriter out, RunResult result) {
    Terminal.say(
        out,
        String.format(
            Locale.ROOT,
            "%s, %s, %s; training seed %d: %.1f %%",
            result.run().method().title(Method.areInPaper(result.run().dataSet())),
            result.run().dataSet().title(),
            result.place(),
            result.run().seed(),
            100 * result.test().accuracy()));
  }
}
