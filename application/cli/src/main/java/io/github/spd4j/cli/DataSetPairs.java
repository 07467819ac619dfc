/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.experiments.Suggestion;
import io.github.spd4j.experiments.UserException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Reads data sets of some kinds from the command line: {@code dtd DTD fmd FMD}. */
record DataSetPairs(Set<DataSetKind> kinds) {

  /** The folder of each kind, in the order given. A kind comes once: its runs share their names. */
  Map<DataSetKind, String> read(List<String> words) {
    if (words.size() % 2 != 0) {
      String last = words.get(words.size() - 1);
      throw new UserException("expected a FOLDER after each DATASET, got none after " + last);
    }
    Map<DataSetKind, String> pairs = new LinkedHashMap<>();
    for (int i = 0; i < words.size(); i += 2) {
      if (pairs.put(kind(words.get(i)), words.get(i + 1)) != null) {
        throw new UserException(
            ("expected each data set once, got %s twice; for another folder of the same kind, run"
                    + " another command with another --out")
                .formatted(words.get(i)));
      }
    }
    return pairs;
  }

  private DataSetKind kind(String word) {
    List<String> keys = kinds.stream().map(DataSetPairs::key).toList();
    return kinds.stream()
        .filter(kind -> key(kind).equals(word.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                new UserException(
                    ("expected pairs of a data set and its folder, with data sets from"
                            + " %s; got the data set %s%s")
                        .formatted(String.join(", ", keys), word, Suggestion.of(word, keys))));
  }

  private static String key(DataSetKind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
