/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.spd4j.predictions.Classification;
import io.github.spd4j.reports.OutputFile;
import io.github.spd4j.reports.Printable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** The probabilities of the classes for some pictures, as files that other programs read. */
record PredictionFiles(List<String> classes, Map<Path, Classification> byPicture) {

  /** What {@link #csv} begins with. */
  private static final String CSV_BEGINNING = "file,class,";

  /** What {@link #json} begins with, if there is any answer. */
  private static final String JSON_BEGINNING = "[ {" + System.lineSeparator() + "  \"file\" :";

  /** How far the sum of probabilities may be from 1: rounding of the network's type. */
  private static final double ROUNDING = 1e-3;

  /** The place of a file as of {@link #csv}: nothing is there, or an earlier one. */
  static OutputFile csvAt(Path path) {
    return OutputFile.at("--csv", path, CSV_BEGINNING, PredictionFiles::isCsv);
  }

  /** The place of a file as of {@link #json}: nothing is there, or an earlier one. */
  static OutputFile jsonAt(Path path) {
    return OutputFile.at("--json", path, JSON_BEGINNING, PredictionFiles::isJson);
  }

  /** A table that somebody made has other columns, or numbers that are no probabilities. */
  private static boolean isCsv(String text, boolean half) {
    String whole = half ? text.substring(0, text.lastIndexOf("\r\n") + 1) : text;
    try (CSVParser parser = CSVParser.parse(whole, CSVFormat.RFC4180)) {
      List<CSVRecord> rows = parser.getRecords();
      if (rows.size() < 2) {
        return half; // a header is nobody's
      }
      List<String> names = rows.get(0).toList();
      List<String> classes = names.subList(2, names.size());
      for (CSVRecord row : rows.subList(1, rows.size())) {
        List<String> cells = row.toList();
        if (cells.size() != names.size()) {
          return false;
        }
        Map<String, Double> probabilities = new LinkedHashMap<>();
        for (int i = 0; i < classes.size(); i++) {
          probabilities.put(classes.get(i), Double.valueOf(cells.get(2 + i)));
        }
        if (!isAnswer(cells.get(1), probabilities)) {
          return false;
        }
      }
      return true;
    } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isJson(String text, boolean half) {
    int end = text.lastIndexOf("}, {");
    if (half && end < 0) {
      return true;
    }
    try {
      List<Answer> answers =
          new ObjectMapper()
              .readValue(half ? text.substring(0, end) + "} ]" : text, new TypeReference<>() {});
      return answers.stream().allMatch(each -> isAnswer(each.label(), each.probabilities()));
    } catch (JsonProcessingException e) {
      return false;
    }
  }

  /** An object of the list, with these fields and no others. */
  private record Answer(
      @JsonProperty(required = true) String file,
      @JsonProperty(value = "class", required = true) String label,
      @JsonProperty(required = true) Map<String, Double> probabilities) {}

  private static boolean isAnswer(String label, Map<String, Double> probabilities) {
    if (label == null || probabilities == null || !probabilities.containsKey(label)) {
      return false;
    }
    double sum = 0;
    for (Double each : probabilities.values()) {
      if (each == null || !(each >= 0 && each <= probabilities.get(label) + ROUNDING)) {
        return false;
      }
      sum += each;
    }
    return Math.abs(sum - 1) <= ROUNDING;
  }

  /** A line for each picture: file, class, and a column for the probability of each class. */
  String csv() {
    List<Object> header = new ArrayList<>(List.of("file", "class"));
    classes.forEach(name -> header.add(Printable.of(name)));
    List<String> lines = new ArrayList<>();
    lines.add(CSVFormat.RFC4180.format(header.toArray()));
    byPicture.forEach(
        (picture, answer) -> {
          List<Object> cells =
              new ArrayList<>(List.of(Printable.of(picture), Printable.of(answer.label())));
          classes.forEach(name -> cells.add(answer.probabilities().get(name)));
          lines.add(CSVFormat.RFC4180.format(cells.toArray()));
        });
    return String.join("\r\n", lines) + "\r\n";
  }

  /** A list with an object for each picture: file, class, and the probabilities by class. */
  String json() {
    List<Map<String, Object>> all = new ArrayList<>();
    byPicture.forEach(
        (picture, answer) -> {
          Map<String, Double> probabilities = new LinkedHashMap<>();
          classes.forEach(name -> probabilities.put(name, answer.probabilities().get(name)));
          Map<String, Object> fields = new LinkedHashMap<>();
          fields.put("file", picture.toString());
          fields.put("class", answer.label());
          fields.put("probabilities", probabilities);
          all.add(fields);
        });
    try {
      return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(all) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // texts and numbers can be written
    }
  }
}
