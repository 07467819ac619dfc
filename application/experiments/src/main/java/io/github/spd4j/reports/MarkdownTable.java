/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table in Markdown, its columns aligned so that it can be read as it is. */
public final class MarkdownTable {

  private final List<List<String>> lines = new ArrayList<>();

  /**
   * A table without rows.
   *
   * @param header the names of the columns
   */
  public MarkdownTable(List<String> header) {
    lines.add(header);
  }

  /**
   * Adds a row.
   *
   * @param cells as many as there are columns
   */
  public void add(List<String> cells) {
    lines.add(cells.stream().map(Printable::of).toList());
  }

  @Override
  public String toString() {
    int[] widths =
        IntStream.range(0, lines.get(0).size())
            .map(i -> lines.stream().mapToInt(line -> line.get(i).length()).max().orElse(1))
            .toArray();
    StringBuilder text = new StringBuilder(line(lines.get(0), widths));
    text.append(
        IntStream.of(widths)
            .mapToObj(width -> "-".repeat(width + 2))
            .collect(Collectors.joining("|", "|", "|\n")));
    lines.subList(1, lines.size()).forEach(line -> text.append(line(line, widths)));
    return text.toString();
  }

  private static String line(List<String> cells, int[] widths) {
    return IntStream.range(0, widths.length)
        .mapToObj(i -> String.format("%-" + Math.max(1, widths[i]) + "s", cells.get(i)))
        .collect(Collectors.joining(" | ", "| ", " |\n"));
  }
}
