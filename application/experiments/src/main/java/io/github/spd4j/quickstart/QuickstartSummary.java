/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Quickstarts with several seeds, each with images and first weights of its own. */
public final class QuickstartSummary {

  private final Map<String, List<Double>> accuracies = new LinkedHashMap<>();
  private final List<Double> leads = new ArrayList<>();

  /** Of nothing yet. */
  public QuickstartSummary() {}

  /**
   * Adds a quickstart. Nothing else is kept of it.
   *
   * @param result what came of it
   */
  public void add(QuickstartResult result) {
    result.heads().forEach(head -> add(head.name(), head.accuracy()));
    leads.add(result.spd().leadOver(result.bestOther()).difference());
  }

  void add(String head, double accuracy) {
    accuracies.computeIfAbsent(head, name -> new ArrayList<>()).add(accuracy);
  }

  /**
   * The mean accuracies of the heads, and the lead of the SPD head over the best of the others.
   *
   * @return a line for each head, and one for the lead
   */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    accuracies.forEach((name, shares) -> lines.add(line(name, shares)));
    lines.add(line("lead of SPD", leads));
    return lines;
  }

  /** The mean, the standard deviation of a sample, and what they are of, in percent. */
  static String line(String name, List<Double> shares) {
    DoubleSummaryStatistics all = shares.stream().mapToDouble(x -> 100 * x).summaryStatistics();
    double squares =
        shares.stream().mapToDouble(x -> Math.pow(100 * x - all.getAverage(), 2)).sum();
    return String.format(
        Locale.ROOT,
        "%-16s %5.1f ± %.1f (%s)",
        name,
        all.getAverage(),
        Math.sqrt(squares / Math.max(1, shares.size() - 1)),
        shares.stream()
            .map(x -> String.format(Locale.ROOT, "%.1f", 100 * x))
            .collect(Collectors.joining(", ")));
  }
}
