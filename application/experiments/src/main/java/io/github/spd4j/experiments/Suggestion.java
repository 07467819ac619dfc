/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import org.apache.commons.lang3.StringUtils;

/** Guesses which name was meant by one that is not known. */
public final class Suggestion {

  /** The most letters that may be wrong, for each letter of the name. */
  private static final double WRONG = 0.4;

  private Suggestion() {}

  /**
   * The end of a message about a wrong name.
   *
   * @param got the wrong name
   * @param known the names that there are
   * @return {@code "; did you mean …?"}, or nothing if no name is like it
   */
  public static String of(String got, Collection<String> known) {
    String name = got.toLowerCase(Locale.ROOT);
    return known.stream()
        .filter(right -> wrong(name, right) <= WRONG * Math.max(name.length(), right.length()))
        .min(Comparator.comparingInt(right -> wrong(name, right)))
        .map(right -> "; did you mean " + right + "?")
        .orElse("");
  }

  /** Letters to change, add or take away; none in a name that only lacks its end. */
  @SuppressWarnings("deprecation") // in favour of a library that would be here for it alone
  private static int wrong(String got, String right) {
    boolean cutShort = got.length() > 2 && right.startsWith(got);
    return cutShort ? 0 : StringUtils.getLevenshteinDistance(got, right);
  }
}
