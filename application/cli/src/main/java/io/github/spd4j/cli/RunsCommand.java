/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.FilesBelow;
import io.github.spd4j.experiments.StoredRun;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.reports.Printable;
import io.github.spd4j.train.features.FeatureCache;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code spd runs}. */
@Command(
    name = "runs",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Lists runs and what they take, or deletes them.")
public final class RunsCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..*",
      paramLabel = "FOLDERS",
      description = "Folders of runs, or with runs somewhere below; this one unless set.")
  private List<Path> places = List.of(Path.of("."));

  @Option(
      names = "--delete",
      description = "Delete these runs: each has to be the folder of a run itself.")
  private boolean delete;

  @Option(
      names = "--delete-features",
      description = "Delete cached features below the folders; runs compute them again.")
  private boolean deleteFeatures;

  /** For picocli. */
  public RunsCommand() {}

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    List<FilesBelow> below = places.stream().map(FilesBelow::of).toList();
    List<String> unread = below.stream().flatMap(place -> place.unread().stream()).toList();
    if (delete) {
      List<StoredRun> runs = places.stream().map(RunsCommand::only).toList();
      for (StoredRun run : runs) {
        run.delete();
        out.println("Deleted: " + Printable.of(run.path()));
      }
    } else if (!deleteFeatures) {
      list(below, out);
    }
    if (deleteFeatures) {
      for (Path features : features(below)) {
        requireIdle(features.toAbsolutePath().getParent());
        FeatureCache.delete(features);
        out.println("Deleted: " + Printable.of(features));
      }
    }
    out.flush();
    return Commands.endWithout(unread, spec.commandLine());
  }

  private static List<Path> features(List<FilesBelow> below) {
    return below.stream().flatMap(place -> StoredRun.features(place).stream()).distinct().toList();
  }

  private static void requireIdle(Path folder) {
    FilesBelow below = FilesBelow.of(folder);
    if (!below.unread().isEmpty()) {
      throw new UserException(
          below.unread().get(0) + "; a run there may need the features of " + folder);
    }
    for (StoredRun run : StoredRun.in(below)) {
      if (run.state().equals(StoredRun.RUNNING)) {
        throw new UserException(run.path() + " is running and needs its features; wait for it");
      }
    }
  }

  /** A folder with several runs is a likely mistake. */
  private static StoredRun only(Path place) {
    return StoredRun.in(FilesBelow.of(place)).stream()
        .filter(run -> run.path().equals(place))
        .findFirst()
        .orElseThrow(() -> new UserException("--delete needs the folder of a run, got " + place));
  }

  private static void list(List<FilesBelow> below, PrintWriter out) {
    List<StoredRun> runs =
        below.stream().flatMap(place -> StoredRun.in(place).stream()).distinct().toList();
    for (StoredRun run : runs) {
      out.println(Printable.of(run.path() + ": " + size(run.path()) + ", " + run.state()));
    }
    for (Path features : features(below)) {
      long users = runs.stream().filter(run -> run.path().startsWith(parent(features))).count();
      out.println(
          Printable.of(
              features + ": " + size(features) + ", features that " + users + " runs share"));
    }
    if (runs.isEmpty()) {
      out.println("No runs.");
    }
  }

  private static Path parent(Path features) {
    Path parent = features.getParent();
    return parent == null ? Path.of("") : parent;
  }

  private static String size(Path folder) {
    double bytes = StoredRun.bytes(folder);
    return String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
  }
}
