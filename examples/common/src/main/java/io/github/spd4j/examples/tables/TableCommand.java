/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.tables;

import io.github.spd4j.examples.cli.Mistake;
import io.github.spd4j.examples.report.HtmlPage;
import io.github.spd4j.examples.report.OutputFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code spd table}. */
@Command(
    name = "table",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Puts the results of runs beside the paper's table.")
public final class TableCommand implements Callable<Integer> {

  private static final String LEGEND =
      "Accuracy on the test images in percent: mean ± standard deviation over partitions and"
          + " seeds, and the number of runs; the paper's figures are those of its Table 2, for FV-CNN,"
          + " FV-FC-CNN and Deep-TEN those of its Table 1.";

  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "RUNS", description = "Folders with finished runs.")
  private List<Path> places;

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FOLDER",
      description = "Where to write table.html and table.md.")
  private Path out = Path.of(".");

  /** For picocli. */
  public TableCommand() {}

  private void createFolder() {
    try {
      Files.createDirectories(out);
    } catch (IOException e) {
      throw new Mistake("--out wants a folder that can be written, got " + out, e);
    }
  }

  @Override
  public Integer call() {
    ResultTable table = new ResultTable(ResultFiles.read(places));
    createFolder();
    String text = Markdown.of(LEGEND, table);
    OutputFile.write(out.resolve("table.md"), text);
    OutputFile.write(out.resolve("table.html"), html(table));
    PrintWriter writer = spec.commandLine().getOut();
    writer.print(text);
    writer.flush();
    return 0;
  }

  private static String html(ResultTable table) {
    HtmlPage page = new HtmlPage("The paper's table, and ours");
    page.paragraph(LEGEND);
    page.table(table.header(), table.rows());
    page.heading("What differs from the paper");
    for (Column column : table.columns()) {
      page.lead(table.title(column));
      column.differences().forEach(page::paragraph);
    }
    table.methodNotes().forEach(page::paragraph);
    return page.html();
  }
}
