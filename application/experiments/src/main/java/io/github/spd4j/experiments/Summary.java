/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static io.github.spd4j.reports.HtmlPage.percent;

import io.github.spd4j.experiments.Predictions.ConfusedPair;
import io.github.spd4j.experiments.TestFigures.ClassFigures;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What a run is worth, in words for who decides whether it is used.
 *
 * @param learnt how many images it learnt from
 * @param unsureBelow the probability below which an answer is unsure; 0 for none
 */
record Summary(int learnt, TestFigures test, Predictions predictions, double unsureBelow) {

  /** More classes are counted. */
  private static final int MOST_NAMES = 4;

  /** The sentence that says it all. */
  String sentence() {
    return "The model learnt %d classes (%s) from %d pictures, and named %s of %d others rightly: with 95 %% confidence it is right for %s to %s of all pictures like these."
        .formatted(
            predictions.classes().size(),
            names(predictions.classes()),
            learnt,
            percent(test.accuracy()),
            predictions.size(),
            percent(test.low()),
            percent(test.high()));
  }

  private static String names(List<String> classes) {
    int last = classes.size() - 1;
    boolean all = classes.size() <= MOST_NAMES;
    return String.join(", ", classes.subList(0, all ? last : MOST_NAMES - 1))
        + " and "
        + (all ? classes.get(last) : classes.size() - MOST_NAMES + 1 + " more");
  }

  /** Where it is good and where it is not, and what is left if only sure answers count. */
  String details() {
    StringBuilder text = new StringBuilder();
    List<Map.Entry<String, ClassFigures>> known =
        test.classes().entrySet().stream()
            .filter(entry -> entry.getValue().images() > 0)
            .sorted(Comparator.comparingDouble(entry -> entry.getValue().recall()))
            .toList();
    if (known.get(0).getValue().recall() < known.get(known.size() - 1).getValue().recall()) {
      text.append(
          "It recognises %s best and %s worst%s. "
              .formatted(
                  recall(known.get(known.size() - 1)), recall(known.get(0)), takenFor(known)));
    }
    int[] sure =
        IntStream.range(0, predictions.size())
            .filter(image -> predictions.probability(image) >= unsureBelow)
            .toArray();
    if (sure.length > 0 && sure.length < predictions.size()) {
      double right = IntStream.of(sure).filter(predictions::isRight).count();
      text.append(
          "It says itself that it is unsure of %s of the pictures; if somebody looks at these, %s of the others are right."
              .formatted(
                  percent(1 - (double) sure.length / predictions.size()),
                  percent(right / sure.length)));
    }
    return text.toString().strip();
  }

  private static String recall(Map.Entry<String, ClassFigures> entry) {
    return "%s (%s of its pictures)".formatted(entry.getKey(), percent(entry.getValue().recall()));
  }

  private String takenFor(List<Map.Entry<String, ClassFigures>> known) {
    List<String> classes = predictions.classes();
    return predictions.confusedPairs(Integer.MAX_VALUE).stream()
        .filter(pair -> classes.get(pair.truth()).equals(known.get(0).getKey()))
        .max(Comparator.comparingInt(ConfusedPair::count))
        .map(pair -> ", which it takes for " + classes.get(pair.answer()) + " most often")
        .orElse("");
  }
}
