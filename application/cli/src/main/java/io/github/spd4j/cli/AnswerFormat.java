/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import io.github.spd4j.reports.Printable;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;

/**
 * Answers as text that other programs read: piece by piece, in the order in which they come. Lines
 * end with a line feed, numbers have no exponent. For one list of answers.
 */
abstract class AnswerFormat {

  /** What {@link #csv} begins with. */
  static final String CSV_BEGINNING = "file,class,";

  /** The last columns of {@link #csv}: why there is no answer, and why not to trust it. */
  static final List<String> CSV_END = List.of("error", "doubt");

  /** What {@link #json} begins with, if there is any answer. */
  static final String JSON_BEGINNING = "[ {\n  \"file\" :";

  /** As many as a float has. */
  private static final MathContext DIGITS = new MathContext(7);

  private AnswerFormat() {}

  /** What comes before the first answer. */
  abstract String beginning();

  /** An answer. */
  abstract String of(Answer answer);

  /** What comes after the last answer. */
  abstract String end();

  /** A probability as it is written. */
  static BigDecimal decimal(double probability) {
    BigDecimal rounded = new BigDecimal(probability).round(DIGITS).stripTrailingZeros();
    return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
  }

  /**
   * A line for each picture: file, class, a column for the probability of each class, why a picture
   * could not be read, and why an answer is doubtful.
   */
  static AnswerFormat csv(List<String> classes) {
    return new AnswerFormat() {
      @Override
      String beginning() {
        List<String> header = new ArrayList<>(List.of("file", "class"));
        header.addAll(classes);
        header.addAll(CSV_END);
        return line(header);
      }

      @Override
      String of(Answer answer) {
        List<String> cells = new ArrayList<>(List.of(answer.picture().toString()));
        if (answer.isThere()) {
          cells.add(answer.classification().label());
          Map<String, Double> probabilities = answer.classification().probabilities();
          classes.forEach(name -> cells.add(decimal(probabilities.get(name)).toPlainString()));
          cells.add("");
        } else {
          cells.add("");
          classes.forEach(name -> cells.add(""));
          cells.add(answer.problem());
        }
        cells.add(answer.doubt());
        return line(cells);
      }

      @Override
      String end() {
        return "";
      }

      private String line(List<String> cells) {
        return CSVFormat.RFC4180.format(cells.stream().map(Printable::of).toArray()) + "\n";
      }
    };
  }

  /** A list with an object for each picture: file, class, and the probabilities by class. */
  static AnswerFormat json(List<String> classes) {
    ObjectWriter writer =
        new ObjectMapper()
            .enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN)
            .writer(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n")));
    return new AnswerFormat() {
      private boolean isFirst = true;

      @Override
      String beginning() {
        return "[";
      }

      @Override
      String of(Answer answer) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("file", answer.picture().toString());
        if (answer.isThere()) {
          Map<String, BigDecimal> probabilities = new LinkedHashMap<>();
          Map<String, Double> all = answer.classification().probabilities();
          classes.forEach(name -> probabilities.put(name, decimal(all.get(name))));
          fields.put("class", answer.classification().label());
          fields.put("probabilities", probabilities);
          if (!answer.doubt().isEmpty()) {
            fields.put("doubt", answer.doubt());
          }
        } else {
          fields.put("error", answer.problem());
        }
        String before = isFirst ? " " : ", ";
        isFirst = false;
        try {
          return before + Printable.json(writer.writeValueAsString(fields));
        } catch (JsonProcessingException e) {
          throw new IllegalStateException(e); // texts and numbers can be written
        }
      }

      @Override
      String end() {
        return " ]\n";
      }
    };
  }
}
