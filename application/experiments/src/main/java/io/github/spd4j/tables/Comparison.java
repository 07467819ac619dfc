/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import io.github.spd4j.experiments.Difference;
import io.github.spd4j.experiments.RunResult;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.MarkdownTable;
import io.github.spd4j.reports.Printable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVRecord;

/**
 * Runs with the same test images side by side, the most accurate first: accuracy with its interval,
 * whether the difference from the first can be chance (McNemar's exact test), time and size.
 */
public final class Comparison {

  private static final List<String> HEADER =
      List.of(
          "run",
          "head",
          "right",
          "95 % interval",
          "first alone right",
          "this alone right",
          "chance (p)",
          "trained in",
          "an image in",
          "model");

  /** What a terminal has room for. */
  private static final List<Integer> NARROW = List.of(0, 2, 3, 6, 7);

  private static final double CLEAR = 0.05;

  private final List<Entry> entries;

  /** A run, and which of its test images it has right, by name. */
  private record Entry(Path folder, RunResult result, Map<String, Boolean> right) {

    double accuracy() {
      return result.test().accuracy();
    }
  }

  /**
   * Reads runs.
   *
   * @param folders the folder of each
   * @throws UserException if one is not finished, or they do not have the same test images
   */
  public Comparison(List<Path> folders) {
    entries =
        folders.stream()
            .map(Comparison::entry)
            .sorted(Comparator.comparingDouble(Entry::accuracy).reversed())
            .toList();
    for (Entry entry : entries) {
      if (!entry.right.keySet().equals(entries.get(0).right.keySet())) {
        throw new UserException(
            "%s and %s have other test images: compare runs of the same pictures and --seed"
                .formatted(entries.get(0).folder, entry.folder));
      }
    }
  }

  private static Entry entry(Path folder) {
    Path result = folder.resolve(RunResult.FILE);
    Path predictions = folder.resolve("predictions.csv");
    if (!Files.isRegularFile(result) || !Files.isRegularFile(predictions)) {
      throw new UserException(
          folder + ": expected the folder of a finished run, with result.json and predictions.csv");
    }
    RunResult.requireOwn(predictions.toAbsolutePath());
    return new Entry(folder, RunResult.read(result), right(predictions));
  }

  private static Map<String, Boolean> right(Path predictions) {
    Map<String, Boolean> right = new LinkedHashMap<>();
    try (var lines =
        CSVFormat.RFC4180.parse(Files.newBufferedReader(predictions, StandardCharsets.UTF_8))) {
      for (CSVRecord line : lines.getRecords().stream().skip(1).toList()) {
        if (line.size() < 3) {
          throw new UserException(
              predictions + ": expected four columns in line " + line.getRecordNumber());
        }
        right.put(line.get(0), line.get(1).equals(line.get(2)));
      }
    } catch (IOException | UncheckedIOException e) {
      throw new UserException(predictions + ": cannot be read: " + e.getMessage(), e);
    }
    return right;
  }

  private Difference difference(Entry entry) {
    int first = 0;
    int other = 0;
    for (Map.Entry<String, Boolean> image : entries.get(0).right.entrySet()) {
      boolean here = entry.right.get(image.getKey());
      first += image.getValue() && !here ? 1 : 0;
      other += !image.getValue() && here ? 1 : 0;
    }
    return new Difference(first, other);
  }

  private List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    for (Entry entry : entries) {
      RunResult result = entry.result;
      List<String> cells = new ArrayList<>();
      cells.add(Printable.of(entry.folder.getFileName()));
      cells.add(result.run().method().title(false));
      cells.add(format("%.1f %%", 100 * entry.accuracy()));
      cells.add(format("%.1f to %.1f %%", 100 * result.test().low(), 100 * result.test().high()));
      if (entry == entries.get(0)) {
        cells.addAll(List.of("", "", ""));
      } else {
        Difference difference = difference(entry);
        cells.add(String.valueOf(difference.first()));
        cells.add(String.valueOf(difference.other()));
        cells.add(difference.words());
      }
      cells.add(format("%.0f s", result.execution().seconds().all()));
      cells.add(format("%.0f ms", 1000 * result.execution().seconds().image()));
      cells.add(format("%.1f MB", result.files().modelBytes() / 1e6));
      rows.add(cells);
    }
    return rows;
  }

  /**
   * What a person who has to decide reads.
   *
   * @return a sentence
   */
  public String verdict() {
    Entry best = entries.get(0);
    List<String> level =
        entries.stream()
            .skip(1)
            .filter(entry -> difference(entry).chance() >= CLEAR)
            .map(entry -> entry.folder.getFileName().toString())
            .toList();
    String name = best.folder.getFileName().toString();
    String others =
        level.isEmpty()
            ? "the difference from each other one is more than chance"
            : "chance may explain the difference from " + String.join(", ", level);
    return format("%s has the most right, %.1f %%; ", name, 100 * best.accuracy()) + others + ".";
  }

  private static List<String> narrow(List<String> cells) {
    return NARROW.stream().map(cells::get).toList();
  }

  /**
   * The main columns as text.
   *
   * @return Markdown
   */
  public String table() {
    MarkdownTable table = new MarkdownTable(narrow(HEADER));
    rows().forEach(row -> table.add(narrow(row)));
    return table + "\n";
  }

  /**
   * The table as a page.
   *
   * @return HTML
   */
  public String html() {
    return new HtmlPage("Which head?")
        .lead(verdict())
        .paragraph(
            "All runs have the same %d test images. The chance p is that of McNemar's exact test: how"
                    .formatted(entries.get(0).right.size())
                + " likely a difference this large from the first run would be if both were equally"
                + " good. Below 0.05 it is usually taken to be real. Of many heads, one looks best"
                + " by luck alone: confirm it on new pictures.")
        .table(HEADER, rows())
        .html();
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
