/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Layout;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The help of a command, whose lines end between words: picocli breaks names such as FILE.zip. */
final class Usage extends Help {

  private static final String CONTINUED = "  ";

  Usage(CommandSpec spec, ColorScheme colours) {
    super(spec, colours);
  }

  @Override
  public Layout createDefaultLayout(
      List<OptionSpec> options, List<PositionalParamSpec> parameters, ColorScheme colours) {
    TextTable table = super.createDefaultLayout(options, parameters, colours).textTable();
    return new Layout(
        colours, table, createDefaultOptionRenderer(), createDefaultParameterRenderer()) {
      @Override
      public void layout(ArgSpec argument, Text[][] rows) {
        List<Text[]> all = new ArrayList<>();
        for (Text[] row : rows) {
          int last = row.length - 1;
          Column column = table.columns()[last];
          List<String> lines =
              Words.lines(row[last].plainString(), column.width - column.indent, CONTINUED);
          for (String line : lines) {
            boolean first = all.isEmpty() || line.equals(lines.get(0));
            Text[] cells = row.clone();
            for (int i = 0; i < last && !first; i++) {
              cells[i] = colours.text("");
            }
            cells[last] = colours.text(line);
            all.add(cells);
          }
        }
        super.layout(argument, all.toArray(Text[][]::new));
      }
    };
  }
}
