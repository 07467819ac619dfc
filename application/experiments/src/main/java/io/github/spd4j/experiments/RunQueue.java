/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.internal.files.OwnFolder;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs what is not finished yet, one run after the other. What was finished before is read and not
 * repeated, and what was interrupted goes on. Several processes may work on the same runs: one that
 * another process has begun is left to it.
 */
public final class RunQueue {

  private final ExperimentSettings settings;
  private final List<Run> runs;
  private final Map<String, String> failures = new LinkedHashMap<>();
  private final Map<String, String> elsewhere = new LinkedHashMap<>();

  /**
   * The runs of some experiments.
   *
   * @param settings where the runs go
   * @param experiments what they belong to
   */
  public RunQueue(ExperimentSettings settings, List<Experiment> experiments) {
    this.settings = settings;
    this.runs = experiments.stream().flatMap(experiment -> experiment.runs().stream()).toList();
  }

  /**
   * Runs what is not finished yet. A training that gives up does not keep the others from running.
   *
   * @return the results of all runs that have one
   * @throws UncheckedIOException if the folder for the runs is somebody else's
   */
  public List<RunResult> run() {
    OwnFolder.claim("--out", settings.out);
    List<RunResult> results = new ArrayList<>();
    List<Run> left = run(runs, results);
    elsewhere.clear();
    run(left, results); // most are finished by now
    return results;
  }

  /** Runs some and adds their results; returns those that other processes are working on. */
  private List<Run> run(List<Run> some, List<RunResult> results) {
    List<Run> left = new ArrayList<>();
    for (Run run : some) {
      try {
        results.add(run.result());
      } catch (IllegalStateException | ArithmeticException e) {
        failures.put(run.name(), e.getMessage());
      } catch (RunFolder.TakenException e) {
        elsewhere.put(run.name(), e.getMessage());
        left.add(run);
      }
    }
    return left;
  }

  /**
   * The runs that other processes are still working on.
   *
   * @return what there is to say of each, by its name
   */
  public Map<String, String> elsewhere() {
    return Collections.unmodifiableMap(elsewhere);
  }

  /**
   * The runs whose training gave up.
   *
   * @return the reason by name of the run
   */
  public Map<String, String> failures() {
    return Collections.unmodifiableMap(failures);
  }
}
