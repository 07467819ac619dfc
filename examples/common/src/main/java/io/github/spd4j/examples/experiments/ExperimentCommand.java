/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.experiments;

import io.github.spd4j.examples.cli.Commands;
import io.github.spd4j.examples.cli.Mistake;
import io.github.spd4j.examples.cli.TerminalProgress;
import io.github.spd4j.examples.datasets.DataSetKind;
import io.github.spd4j.examples.datasets.ImageCheck;
import io.github.spd4j.examples.datasets.ImageDataSet;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What the commands for the paper's experiments share. */
public abstract class ExperimentCommand implements Callable<Integer> {

  private final Task task;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "DATASET", description = "The kind of the data set.")
  private String kindName;

  @Parameters(index = "1", paramLabel = "FOLDER", description = "Where the data set lies.")
  private String root;

  @Mixin private ExperimentOptions options = new ExperimentOptions();

  /**
   * A command.
   *
   * @param task which of the paper's protocols it follows
   */
  protected ExperimentCommand(Task task) {
    this.task = task;
  }

  @Override
  public final Integer call() {
    options.check();
    DataSetKind kind = kind();
    BackboneChoice choice = BackboneChoice.of(options.backbone);
    try (Machines machines = options.cluster.connect(options.out)) {
      return run(kind, choice, machines);
    }
  }

  private int run(DataSetKind kind, BackboneChoice choice, Machines machines) {
    PrintWriter out = spec.commandLine().getOut();
    ImageDataSet found = kind.read(machines.path(root));
    say(out, "%s: %d images of %d classes; reading each once", found);
    ImageCheck check = machines.check(found);
    check.skipped().forEach(problem -> out.println("Left out: " + problem));
    LoadedBackbone backbone = choice.load(task.googLeNetCut(), options.cut);
    Experiment experiment =
        new Experiment(
            task,
            kind,
            check.sound(),
            check.skipped(),
            backbone,
            options,
            machines,
            TerminalProgress::new);
    requireWritable(options.out);
    List<RunResult> results = experiment.run();
    results.forEach(result -> print(out, result));
    out.println("Runs: " + options.out.toAbsolutePath().normalize());
    out.flush();
    return exitCode(experiment.failures());
  }

  private int exitCode(Map<String, String> failures) {
    PrintWriter err = spec.commandLine().getErr();
    failures.forEach((run, reason) -> err.println(run + " failed: " + reason));
    err.flush();
    return failures.isEmpty() ? 0 : Commands.FAILURE;
  }

  private static void say(PrintWriter out, String pattern, ImageDataSet set) {
    out.printf(pattern + "%n", set.name(), set.images().size(), set.classes().size());
    out.flush();
  }

  private DataSetKind kind() {
    return task.kinds().stream()
        .filter(kind -> key(kind).equals(kindName.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                new Mistake(
                    "wants one of the data sets "
                        + task.kinds().stream()
                            .map(ExperimentCommand::key)
                            .collect(Collectors.joining(", "))
                        + ", got "
                        + kindName));
  }

  private static String key(DataSetKind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static void requireWritable(Path folder) {
    try {
      Files.createDirectories(folder);
      Files.delete(Files.createTempFile(folder, ".spd", null));
    } catch (IOException e) {
      throw new Mistake("--out wants a folder that can be written, got " + folder, e);
    }
  }

  private static void print(PrintWriter out, RunResult result) {
    out.printf(
        Locale.ROOT,
        "%-40s %-16s seed %d: %.1f %%%n",
        result.method().title(),
        result.partition(),
        result.seed(),
        100 * result.accuracy());
  }
}
