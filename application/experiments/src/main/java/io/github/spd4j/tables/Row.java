/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import io.github.spd4j.experiments.Method;
import io.github.spd4j.experiments.RunResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The runs of one method that have the same settings. */
record Row(Method method, String variant, List<RunResult> runs) {

  /** What may differ within a cell: it is what the mean is over, or belongs to the column. */
  private static final Set<String> AVERAGED =
      Set.of(
          ("dataSet partition split seed method backbone cut size trainingViews testViews images"
                  + " contents classes trainingImages validationImages testImages head convolution"
                  + " convolutionStart ratesHead ratesWhole")
              .split(" "));

  /** The rows of a method: one for each set of settings, or an empty one if it was not run. */
  static List<Row> of(Method method, List<RunResult> results) {
    List<RunResult> own =
        results.stream().filter(result -> result.run().method() == method).toList();
    if (own.isEmpty()) {
      return List.of(new Row(method, "", own));
    }
    Set<String> differing = differing(own);
    return own.stream()
        .collect(
            Collectors.groupingBy(
                run -> variant(run, differing), LinkedHashMap::new, Collectors.toList()))
        .entrySet()
        .stream()
        .map(entry -> new Row(method, entry.getKey(), entry.getValue()))
        .toList();
  }

  /** The settings that runs of one column do not agree on; those of others may be different. */
  private static Set<String> differing(List<RunResult> runs) {
    Set<String> names = new TreeSet<>();
    for (RunResult run : runs) {
      for (RunResult other : runs) {
        if (new Column(run).equals(new Column(other))) {
          names.addAll(differing(run.settings(), other.settings()));
        }
      }
    }
    names.removeAll(AVERAGED);
    names.removeIf(name -> name.startsWith("taken")); // what a search found for this partition
    return names;
  }

  private static Set<String> differing(Map<String, String> one, Map<String, String> other) {
    return one.keySet().stream()
        .filter(name -> !one.get(name).equals(other.get(name)))
        .collect(Collectors.toSet());
  }

  private static String variant(RunResult run, Set<String> differing) {
    return differing.stream()
        .map(name -> said(name, run.settings().get(name)))
        .collect(Collectors.joining(", "));
  }

  private static String said(String name, String value) {
    return value == null ? "no " + name : name + " = " + value;
  }

  String title(boolean besideThePaper) {
    String title = method.title(besideThePaper);
    return variant.isEmpty() ? title : title + " (" + variant + ")";
  }

  Cell cell(Column column) {
    return new Cell(
        runs.stream()
            .filter(run -> new Column(run).equals(column))
            .map(result -> result.test().accuracy())
            .toList());
  }
}
