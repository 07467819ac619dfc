/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.spd4j.predictions.Classification;
import io.github.spd4j.reports.Printable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;

/** The probabilities of the classes for some pictures, as files that other programs read. */
record PredictionFiles(List<String> classes, Map<Path, Classification> byPicture) {

  /** What {@link #csv} begins with. */
  static final String CSV_BEGINNING = "file,class,";

  /** What {@link #json} begins with, if there is any answer. */
  static final String JSON_BEGINNING = "[ {" + System.lineSeparator() + "  \"file\" :";

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
