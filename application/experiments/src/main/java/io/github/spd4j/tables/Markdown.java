/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The table as text that can also be read as it is: columns are aligned. */
final class Markdown {

  private Markdown() {}

  static String of(String legend, ResultTable table) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(table.header());
    lines.addAll(table.rows());
    int[] widths =
        IntStream.range(0, table.header().size())
            .map(i -> lines.stream().mapToInt(line -> line.get(i).length()).max().orElse(1))
            .toArray();
    StringBuilder text = new StringBuilder(legend).append("\n\n");
    text.append(line(lines.get(0), widths)).append(rule(widths));
    lines.subList(1, lines.size()).forEach(line -> text.append(line(line, widths)));
    text.append("\nWhat differs from the paper:\n\n");
    for (Column column : table.columns()) {
      text.append("- ").append(table.title(column)).append('\n');
      column.differences().forEach(note -> text.append("  - ").append(note).append('\n'));
    }
    table.methodNotes().forEach(note -> text.append("- ").append(note).append('\n'));
    return text.toString();
  }

  private static String line(List<String> cells, int[] widths) {
    return IntStream.range(0, widths.length)
        .mapToObj(i -> String.format("%-" + Math.max(1, widths[i]) + "s", cells.get(i)))
        .collect(Collectors.joining(" | ", "| ", " |\n"));
  }

  private static String rule(int[] widths) {
    return IntStream.of(widths)
        .mapToObj(width -> "-".repeat(width + 2))
        .collect(Collectors.joining("|", "|", "|\n"));
  }
}
