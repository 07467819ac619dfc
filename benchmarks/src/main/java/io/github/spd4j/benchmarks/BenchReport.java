/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.reports.MarkdownTable;
import java.util.List;
import java.util.Locale;

/** What a run has found, as text in Markdown. */
record BenchReport(BenchResult result) {

  private static final List<String> COLUMNS =
      List.of(
          "work", "size", "ours, ms", "PyTorch, ms", "ratio", "GFLOP", "GFLOP/s", "roofline, ms");

  /** The table of ratios, the peak of memory and the retractions. */
  String summary() {
    if (!result.heads.isEmpty()) {
      return heads();
    }
    StringBuilder text = new StringBuilder(rows(result.rows)).append('\n').append(rates());
    if (result.ourPeakBytes != null) {
      text.append(memory());
    }
    return text.append('\n').append(retractions()).toString();
  }

  /** All of it. */
  String markdown() {
    StringBuilder text = new StringBuilder("# Benchmark\n\n");
    result.environment.forEach((name, value) -> text.append(format("- %s: %s\n", name, value)));
    text.append('\n').append(summary());
    result.growth.forEach(
        (what, rows) ->
            text.append(format("\n## A training step as %s grows\n\n%s", what, rows(rows))));
    return text.toString();
  }

  private String heads() {
    MarkdownTable table =
        new MarkdownTable(
            List.of(
                "method",
                "head",
                "SPD matrix",
                "vector",
                "parameters",
                "forward, ms",
                "step, ms",
                "peak, MB"));
    for (HeadCost cost : result.heads) {
      table.add(
          List.of(
              cost.method(),
              cost.head(),
              cost.isMatrix() ? "yes" : "no",
              format("%,d", cost.vector()),
              format("%,d", cost.parameters()),
              cost.forward().toString(),
              cost.step().toString(),
              cost.peakBytes() < 0 ? "–" : format("%.0f", cost.peakBytes() / 1e6)));
    }
    return table.toString();
  }

  private static String rows(List<Timing> rows) {
    MarkdownTable table = new MarkdownTable(COLUMNS);
    for (Timing row : rows) {
      table.add(
          List.of(
              row.work(),
              row.size(),
              row.ours().toString(),
              row.torch() == null ? "–" : row.torch().toString(),
              row.torch() == null ? "–" : format("%.2f", row.ratio()),
              format("%.1f", row.gflop()),
              format("%.0f", 1e3 * row.gflop() / row.ours().median()),
              format("%.0f", row.roofline())));
    }
    return table.toString();
  }

  private String rates() {
    String torch =
        result.torchGflops != null ? format(", PyTorch's %.0f", result.torchGflops.median()) : "";
    return format(
        "Median (quartiles). The roofline is the counted arithmetic at the rate of our matrix"
            + " products of 1024³, %.0f GFLOP/s%s.\n",
        result.ourGflops.median(), torch);
  }

  private String memory() {
    String ours = format("%.0f MB", result.ourPeakBytes / 1e6);
    if (result.torchPeakBytes == null) {
      return "Peak memory of training steps: " + ours + ".\n";
    }
    return format(
        "Peak memory of training steps: ours %s, PyTorch's %.0f MB, ratio %.2f.\n",
        ours, result.torchPeakBytes / 1e6, result.ourPeakBytes / (double) result.torchPeakBytes);
  }

  private String retractions() {
    MarkdownTable table = new MarkdownTable(List.of("retraction", "W", "ms", "share of a step"));
    for (RetractionShare share : result.retractions) {
      table.add(
          List.of(
              share.retraction().name(),
              share.size(),
              format("%.1f", share.retract().median()),
              format("%.1f %%", 100 * share.share())));
    }
    return table.toString();
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
