/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import io.github.spd4j.experiments.Method;
import io.github.spd4j.experiments.RunResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/**
 * Methods by data sets. For each data set there are three columns: the mean accuracy and its
 * standard deviation over partitions and seeds, the number of runs, and the paper's figure. The
 * last one is left out where the paper has none, and so are methods that neither was run nor has a
 * figure of the paper.
 */
final class ResultTable {

  private static final String POOLED = "average pooling";

  private final List<RunResult> results;
  private final List<Column> columns;

  ResultTable(List<RunResult> results) {
    this.results = results;
    this.columns =
        results.stream()
            .map(Column::new)
            .distinct()
            .sorted(Comparator.comparing(Column::dataSet))
            .toList();
  }

  List<Column> columns() {
    return columns;
  }

  /** The name of a column, with a letter for its notes. */
  String title(Column column) {
    return column.title() + " (" + (char) ('a' + columns.indexOf(column)) + ")";
  }

  List<String> header() {
    List<String> header = new ArrayList<>(List.of("method"));
    for (Column column : columns) {
      header.addAll(List.of(title(column), "runs"));
      if (column.isInPaper()) {
        header.add("paper");
      }
    }
    return header;
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    for (Method method : Method.values()) {
      if (!hasRun(method, result -> true) && !isInPaper(method)) {
        continue;
      }
      for (Row row : Row.of(method, results)) {
        List<String> cells = new ArrayList<>(List.of(row.title(isInPaper())));
        columns.forEach(column -> cells.addAll(cells(row, column)));
        rows.add(cells);
      }
    }
    return rows;
  }

  private boolean isInPaper(Method method) {
    return columns.stream().anyMatch(column -> method.paperFigure(column.dataSet()).isPresent());
  }

  private static List<String> cells(Row row, Column column) {
    Cell cell = row.cell(column);
    String runs = cell.runs() == 0 ? "" : String.valueOf(cell.runs());
    return column.isInPaper()
        ? List.of(cell.text(), runs, paper(row.method(), column))
        : List.of(cell.text(), runs);
  }

  /** Whether the paper has figures for any of the data sets. */
  boolean isInPaper() {
    return columns.stream().anyMatch(Column::isInPaper);
  }

  private static String paper(Method method, Column column) {
    OptionalDouble figure = method.paperFigure(column.dataSet());
    OptionalDouble other = method.otherFigure(column.dataSet());
    if (figure.isEmpty()) {
      return "–";
    }
    String tableOne = other.isPresent() ? " (Table 1: " + other.getAsDouble() + ")" : "";
    return figure.getAsDouble() + tableOne;
  }

  /** What a name does not say, and what differs from the paper whatever the data set. */
  List<String> methodNotes() {
    List<String> notes = new ArrayList<>();
    for (Method method : Method.values()) {
      String title = method.title(isInPaper());
      if (!title.contains(POOLED) && hasRun(method, ResultTable::isPooled)) {
        notes.add(title + ": " + POOLED + " in place of fully connected layers.");
      }
    }
    if (isInPaper() && hasRun(Method.DEEP_TEN, result -> true)) {
      notes.add(Method.DEEP_TEN.title(true) + ": the paper's figures are those with ResNet-50.");
    }
    return notes;
  }

  private boolean hasRun(Method method, Predicate<RunResult> which) {
    return results.stream().anyMatch(r -> r.run().method() == method && which.test(r));
  }

  private static boolean isPooled(RunResult result) {
    return String.valueOf(result.settings().get("head")).endsWith(POOLED);
  }
}
