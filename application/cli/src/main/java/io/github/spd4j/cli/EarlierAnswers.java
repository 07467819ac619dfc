/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.spd4j.reports.OutputFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/**
 * Tells files of {@link AnswerFormat} from those that somebody made, which may begin the same but
 * have other columns, or numbers that are no probabilities.
 */
final class EarlierAnswers {

  /** What a CSV begins with, and what is in it. */
  static final OutputFile.Kind CSV = EarlierAnswers::isCsv;

  /** What a list of objects begins with, and what is in it. */
  static final OutputFile.Kind JSON = EarlierAnswers::isJson;

  /** How far the sum of probabilities may be from 1: rounding of the network's type. */
  private static final double ROUNDING = 1e-3;

  private static final String BETWEEN = "}, {";

  private EarlierAnswers() {}

  private static boolean isCsv(String text, boolean half) {
    String lines = half ? text.substring(0, text.lastIndexOf('\n') + 1) : text;
    try (CSVParser parser = CSVParser.parse(lines, CSVFormat.RFC4180)) {
      List<CSVRecord> rows = parser.getRecords();
      if (rows.size() < 2) {
        return half; // a header is nobody's
      }
      List<String> header = rows.get(0).toList();
      int end = header.size() - AnswerFormat.CSV_END.size();
      if (end < 2 || !header.subList(end, header.size()).equals(AnswerFormat.CSV_END)) {
        return false;
      }
      for (CSVRecord row : rows.subList(1, rows.size())) {
        if (row.size() != header.size() || !isAnswer(header, row.toList(), end)) {
          return false;
        }
      }
      return true;
    } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
      return false;
    }
  }

  /** The classes are from column 2 to an end, after which there may be a problem, or a doubt. */
  private static boolean isAnswer(List<String> header, List<String> cells, int end) {
    if (!cells.get(end).isEmpty()) {
      return cells.subList(1, end).stream().allMatch(String::isEmpty);
    }
    Map<String, Double> probabilities = new LinkedHashMap<>();
    for (int i = 2; i < end; i++) {
      probabilities.put(header.get(i), Double.valueOf(cells.get(i)));
    }
    return isAnswer(cells.get(1), probabilities);
  }

  private static boolean isJson(String text, boolean half) {
    int end = text.lastIndexOf(BETWEEN);
    if (half && end < 0) {
      return true;
    }
    String whole = half ? text.substring(0, end) + "} ]" : text;
    try {
      List<Fields> answers = new ObjectMapper().readValue(whole, new TypeReference<>() {});
      return answers.stream().allMatch(Fields::areAnswer);
    } catch (JsonProcessingException e) {
      return false;
    }
  }

  /** Of an object; no others are in it. */
  private record Fields(
      @JsonProperty(required = true) String file,
      @JsonProperty("class") String label,
      Map<String, Double> probabilities,
      String error,
      String doubt) {

    boolean areAnswer() {
      return error == null
          ? isAnswer(label, probabilities)
          : label == null && probabilities == null;
    }
  }

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
}
