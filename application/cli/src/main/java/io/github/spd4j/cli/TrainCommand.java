/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.datasets.DataSetException;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.experiments.BackboneChoice;
import io.github.spd4j.experiments.EarlierRun;
import io.github.spd4j.experiments.Experiment;
import io.github.spd4j.experiments.ExperimentKind;
import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.Method;
import io.github.spd4j.experiments.Platform;
import io.github.spd4j.experiments.Preparation;
import io.github.spd4j.experiments.RunQueue;
import io.github.spd4j.experiments.RunResult;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.reports.Printable;
import io.github.spd4j.tables.Comparison;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code spd train}: one run, with the settings that we recommend. */
@Command(
    name = "train",
    resourceBundle = "io.github.spd4j.cli.TrainCommand",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    description = {
      "Trains a model on your own pictures.",
      "They lie in a folder for each class, or in such folders in 'train' and 'test'."
    })
public final class TrainCommand implements Callable<Integer> {

  /** The share of the pictures that tell how sure answers are. */
  private static final double VALIDATION = 0.1;

  private static final String COMPARISON = "compare.html";

  private final ExperimentSettings settings = new ExperimentSettings();
  private CommandSpec spec;
  private SettingsOptions options;
  private List<String> methods;
  private Path earlier;
  private boolean nested;
  private boolean mirrored;

  @Parameters(paramLabel = "FOLDER", description = "The folder with the class folders.")
  private Path pictures;

  @Option(
      names = {"-o", "--out"},
      required = true,
      paramLabel = "RUN",
      description = "Where model and report go. The same command goes on with a run in it.")
  private Path out;

  /** For picocli. */
  public TrainCommand() {}

  @Spec
  void setSpec(CommandSpec spec) {
    this.spec = spec;
    ExperimentSettings s = settings;
    options = new SettingsOptions(spec);
    options.add("--all", false, x -> s.all = x);
    options.add("--nested", false, x -> nested = x);
    options.add("--mirrored", false, x -> mirrored = x);
    options.add("--keep-features", false, x -> s.keepFeatures = x);
    options.addOptional("--continue RUN", Path.class, x -> earlier = x);
    MethodList.addTo(spec);
    List<String> usual = List.of(Method.SPD_ROOT.key());
    options.addNames(
        "--method --methods METHOD", ExperimentOptions.METHODS, usual, x -> methods = x);
    options.addName("--backbone NAME", BackboneChoice.names(), s.backbone, x -> s.backbone = x);
    options.addOptional("--cut LAYER", String.class, x -> s.cut = x);
    options.addOptional(
        "--pixels FORMAT", String.class, x -> s.pixels = ExperimentOptions.pixels(x));
    options.addSize("--size PIXELS", x -> s.size = x);
    options.addAtLeast(0, "--epochs-head N", s.training.headEpochs, x -> s.training.headEpochs = x);
    options.addAtLeast(
        0, "--epochs-whole N", s.training.wholeEpochs, x -> s.training.wholeEpochs = x);
    options.add("--balance", false, x -> s.training.balance = x);
    options.addAtLeast(1, "--batch N", s.training.batch, x -> s.training.batch = x);
    options.add("--precision NAME", s.training.precision, x -> s.training.precision = x);
    options.add("--engine NAME", s.engine, x -> s.engine = x);
    options.add("--seed N", 1L, x -> s.seeds = List.of(SettingsOptions.seed(x)));
  }

  @Override
  public Integer call() {
    options.assign();
    settings.kind = ExperimentKind.FINE_GRAINED;
    settings.validation = VALIDATION;
    settings.methods = methods.stream().flatMap(ExperimentOptions::methods).distinct().toList();
    if (settings.all && compares()) {
      throw new UserException("--methods compares heads on test images: leave --all out");
    }
    if (settings.keepFeatures && compares()) {
      throw new UserException("--keep-features is for a run of one head: give one --method");
    }
    if (earlier != null) {
      goOn();
    }
    settings.splits = settings.seeds;
    settings.own = true;
    if (mirrored) {
      settings.trainingViews = Views.MIRRORED;
      settings.testViews = Views.MIRRORED;
    }
    settings.out = out;
    settings.place = this::place;
    requireOutside();
    return Interruption.during(
        spec,
        () -> {
          try (Platform platform = Preparation.platform(settings)) {
            return run(experiment(platform));
          }
        });
  }

  private void goOn() {
    if (compares()) {
      throw new UserException("--continue goes on with one head: give one --method, or none");
    }
    if (earlier.toAbsolutePath().normalize().equals(out.toAbsolutePath().normalize())) {
      throw new UserException("--out needs another folder than --continue, whose run stays");
    }
    settings.earlier = new EarlierRun(earlier);
    if (!options.given().contains("methods") && !options.given().contains("method")) {
      settings.methods = ExperimentOptions.methods(settings.earlier.method()).toList();
    }
  }

  private boolean compares() {
    return settings.methods.size() > 1;
  }

  /** The folder of a run by its name: of several, each has one, called as its method. */
  private Path place(String run) {
    return settings.methods.stream()
        .map(Method::key)
        .filter(key -> compares() && run.contains("_" + key + "_seed"))
        .findFirst()
        .map(out::resolve)
        .orElse(out);
  }

  private Experiment experiment(Platform platform) {
    PrintWriter writer = spec.commandLine().getOut();
    DataSetKind kind = nested ? DataSetKind.FOLDERS_NESTED : DataSetKind.FOLDERS;
    try {
      return new Preparation(
              settings,
              platform,
              line -> Terminal.say(writer, line),
              run -> Terminal.progress(compares() ? place(run).getFileName() + "" : "training"))
          .experiments(Map.of(kind, pictures.toString()))
          .get(0);
    } catch (DataSetException e) {
      boolean deeper = !nested && e.getMessage().contains(DataSetKind.FOLDERS_NESTED.title());
      throw deeper ? new UserException(e.getMessage() + "; try --nested", e) : e;
    }
  }

  private int run(Experiment experiment) {
    announce(experiment);
    RunQueue queue = new RunQueue(settings, List.of(experiment));
    if (compares()) {
      OwnFolder.claim("--out", out).own(COMPARISON);
    }
    List<RunResult> results = queue.run();
    if (results.size() > 1) {
      compare(results);
    } else {
      results.forEach(this::print);
    }
    queue
        .elsewhere()
        .values()
        .forEach(
            taken -> {
              throw new UserException(taken);
            });
    return ExperimentCommand.exitCode(spec, queue.failures());
  }

  /** What lies among the pictures would be taken for a class. */
  private void requireOutside() {
    Path inside = out.toAbsolutePath().normalize();
    if (inside.startsWith(pictures.toAbsolutePath().normalize())) {
      throw new UserException(
          "--out needs a folder outside that of the pictures, %s, got %s".formatted(pictures, out));
    }
    if (Files.exists(out) && !Files.isDirectory(out)) {
      throw new UserException("--out needs a folder, got the file " + out);
    }
  }

  private void announce(Experiment experiment) {
    PrintWriter writer = spec.commandLine().getOut();
    experiment.warnings().forEach(line -> Terminal.say(writer, "Note: " + line + "."));
    experiment.timeEstimate().ifPresent(time -> Terminal.say(writer, time.sentence()));
  }

  /** One page for all heads, beside the report of each. */
  private void compare(List<RunResult> results) {
    PrintWriter writer = spec.commandLine().getOut();
    List<Path> places =
        results.stream().map(result -> out.resolve(result.run().method().key())).toList();
    Comparison comparison = new Comparison(places);
    AtomicFile.write(out.resolve(COMPARISON), comparison.html());
    writer.print("\n" + comparison.table());
    Terminal.say(writer, comparison.verdict());
    writer.println("Page:     " + Printable.of(out.resolve(COMPARISON)));
    writer.flush();
  }

  private void print(RunResult result) {
    PrintWriter writer = spec.commandLine().getOut();
    Path place = compares() ? out.resolve(result.run().method().key()) : out;
    String run = Interruption.quoted(List.of(place.toString()));
    writer.println();
    Terminal.say(writer, result.verdict() + ".");
    Terminal.substitute(settings).ifPresent(line -> Terminal.say(writer, line));
    if (Files.exists(place.resolve("report.html"))) {
      writer.println("Report:   " + Printable.of(place.resolve("report.html")));
    }
    if (Files.exists(place.resolve("model.zip"))) {
      writer.println("Model:    " + Printable.of(place.resolve("model.zip")));
      writer.println("Classify: ./spd predict " + run + " PICTURES");
    }
    writer.flush();
  }
}
