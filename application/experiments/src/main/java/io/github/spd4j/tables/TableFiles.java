/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import io.github.spd4j.experiments.FilesBelow;
import io.github.spd4j.experiments.RunResult;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.MarkdownTable;
import io.github.spd4j.reports.OutputFile;
import io.github.spd4j.reports.Printable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** From the files of runs to those of the table: {@code table.md} and {@code table.html}. */
public final class TableFiles {

  private static final String LEGEND =
      "Accuracy on the test images in percent: mean ± standard deviation over partitions and seeds,"
          + " and the number of runs";

  private static final String PAPER =
      "; the paper's figures are those of its Table 2, for FV-CNN, FV-FC-CNN and Deep-TEN those of"
          + " its Table 1";

  private TableFiles() {}

  /**
   * Writes the table of all finished runs.
   *
   * @param places folders with runs somewhere below
   * @param out the folder for the table, which is made if it is not there
   * @param unread is told what could not be read, and why; the rest is in the table
   * @return the table as text
   * @throws UserException if there are no runs
   */
  public static String write(List<Path> places, Path out, Consumer<String> unread) {
    ResultTable table = new ResultTable(read(places, unread));
    OutputFile markdown = OutputFile.at("--out", out.resolve("table.md"), LEGEND);
    OutputFile page = OutputFile.at("--out", out.resolve("table.html"), HtmlPage.BEGINNING);
    String text = markdown(table);
    markdown.write(text);
    page.write(html(table));
    return text;
  }

  /** The results in files, in folders of runs, or anywhere below a folder, each once. */
  private static List<RunResult> read(List<Path> places, Consumer<String> unread) {
    List<RunResult> results =
        places.stream()
            .flatMap(place -> below(place, unread).stream())
            .map(file -> file.toAbsolutePath().normalize())
            .distinct()
            .map(RunResult::read)
            .filter(
                result -> !Double.isNaN(result.test().accuracy())) // it was trained on all images
            .toList();
    if (results.isEmpty()) {
      throw new UserException(
          "expected folders with finished runs, got no " + RunResult.FILE + " in " + places);
    }
    return results;
  }

  private static List<Path> below(Path place, Consumer<String> unread) {
    if (!Files.exists(place)) {
      throw new UserException(
          "expected folders with finished runs, got " + place + ", which is not there");
    }
    if (Files.isRegularFile(place)) {
      return List.of(place);
    }
    FilesBelow below = FilesBelow.of(place);
    below.unread().forEach(unread);
    return below.files().stream().filter(file -> file.endsWith(RunResult.FILE)).toList();
  }

  private static String legend(ResultTable table) {
    return LEGEND + (table.isInPaper() ? PAPER : "") + ".";
  }

  private static String heading(ResultTable table) {
    return table.isInPaper() ? "What differs from the paper" : "How the runs were made";
  }

  private static String markdown(ResultTable table) {
    MarkdownTable markdown = new MarkdownTable(table.header());
    table.rows().forEach(markdown::add);
    StringBuilder text =
        new StringBuilder("%s\n\n%s\n%s:\n\n".formatted(legend(table), markdown, heading(table)));
    for (Column column : table.columns()) {
      text.append("- ").append(Printable.of(table.title(column))).append('\n');
      column.notes().forEach(note -> text.append("  - ").append(Printable.of(note)).append('\n'));
    }
    table.methodNotes().forEach(note -> text.append("- ").append(Printable.of(note)).append('\n'));
    return text.toString();
  }

  private static String html(ResultTable table) {
    HtmlPage page = new HtmlPage(table.isInPaper() ? "The paper's table, and ours" : "Results");
    page.paragraph(legend(table));
    page.table(table.header(), table.rows());
    page.heading(heading(table));
    for (Column column : table.columns()) {
      page.lead(table.title(column));
      column.notes().forEach(page::paragraph);
    }
    table.methodNotes().forEach(page::paragraph);
    return page.html();
  }
}
