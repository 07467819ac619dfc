/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.csv.CSVFormat;

/** The probabilities of the classes for some pictures, as files that other programs read. */
record Answers(List<String> classes, Map<Path, double[]> byPicture) {

  /** The numbers of the classes, the most probable first. */
  static List<Integer> best(double[] probabilities) {
    return IntStream.range(0, probabilities.length)
        .boxed()
        .sorted((a, b) -> Double.compare(probabilities[b], probabilities[a]))
        .toList();
  }

  /** A line for each picture: file, class, and a column for the probability of each class. */
  String csv() {
    List<Object> header = new ArrayList<>(List.of("file", "class"));
    header.addAll(classes);
    List<String> lines = new ArrayList<>();
    lines.add(CSVFormat.RFC4180.format(header.toArray()));
    byPicture.forEach(
        (picture, probabilities) -> {
          List<Object> cells =
              new ArrayList<>(List.of(picture, classes.get(best(probabilities).get(0))));
          for (double probability : probabilities) {
            cells.add(probability);
          }
          lines.add(CSVFormat.RFC4180.format(cells.toArray()));
        });
    return String.join("\r\n", lines) + "\r\n";
  }

  /** A list with an object for each picture: file, class, and the probabilities by class. */
  String json() {
    List<Map<String, Object>> all = new ArrayList<>();
    byPicture.forEach(
        (picture, probabilities) -> {
          Map<String, Object> answer = new LinkedHashMap<>();
          answer.put("file", picture.toString());
          answer.put("class", classes.get(best(probabilities).get(0)));
          answer.put(
              "probabilities",
              IntStream.range(0, classes.size())
                  .boxed()
                  .collect(
                      Collectors.toMap(
                          classes::get, k -> probabilities[k], (a, b) -> a, LinkedHashMap::new)));
          all.add(answer);
        });
    try {
      return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(all) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // texts and numbers can be written
    }
  }
}
