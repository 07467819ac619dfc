/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.models.Confidence;
import io.github.spd4j.statistics.Familiarity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What held-out images tell about the answers of a network: how sure they may be.
 *
 * @param held the answers to these images, as the network gave them
 * @param rehearsed how many of them are training images of a {@link Rehearsal}; the others are for
 *     validation
 * @param confidence what the model's card says
 */
record Trust(Predictions held, int rehearsed, Confidence confidence) {

  /** Fewer images tell too little about probabilities, after they have chosen the best epoch. */
  static final int FEWEST = 50;

  /** The share of sure answers that is to be right. */
  static final double WANTED = 0.95;

  /** The share of known pictures that is not to be named unlike them. */
  static final double KEPT = 0.95;

  /** So many of the surest answers must be right often enough, or it may be chance. */
  private static final int FEWEST_SURE = 10;

  /** Validation images have decided about epochs, but not about probabilities. */
  static Trust of(Predictions held, int rehearsed) {
    if (held.size() < FEWEST) {
      return new Trust(held, rehearsed, Confidence.UNKNOWN);
    }
    double temperature = held.temperature();
    double unsureBelow = unsureBelow(held.calibrated(temperature));
    return new Trust(held, rehearsed, Confidence.of(temperature, unsureBelow));
  }

  /**
   * The same, and how far an image may lie from the classes to be like them.
   *
   * @param familiarity tells how far an image lies
   * @param distances those of the images that were held out
   */
  Trust familiar(Familiarity familiarity, double... distances) {
    if (distances.length == 0) {
      return this;
    }
    double[] sorted = Arrays.stream(distances).sorted().toArray();
    double limit = sorted[(int) Math.ceil(KEPT * sorted.length) - 1];
    return limit > 0 ? new Trust(held, rehearsed, confidence.unlike(familiarity, limit)) : this;
  }

  /** The answers to them as the model would give them. */
  Predictions calibrated() {
    return held.calibrated(confidence.temperature());
  }

  boolean isKnown() {
    return held.size() >= FEWEST;
  }

  /** What the answers come from, in a report. */
  String source() {
    List<String> kinds = new ArrayList<>();
    if (rehearsed < held.size()) {
      kinds.add(held.size() - rehearsed + " validation images");
    }
    if (rehearsed > 0) {
      kinds.add(rehearsed + " training images that another training left out");
    }
    return String.join(" and ", kinds);
  }

  /** The least probability from which on as many answers are right as is wanted. */
  private static double unsureBelow(Predictions validation) {
    List<Integer> surest =
        IntStream.range(0, validation.size())
            .boxed()
            .sorted(Comparator.comparingDouble(image -> -validation.probability(image)))
            .toList();
    int right = 0;
    int sure = 0;
    for (int i = 0; i < surest.size(); i++) {
      right += validation.isRight(surest.get(i)) ? 1 : 0;
      boolean isLimit = // equal ones are sure together
          i + 1 == surest.size()
              || validation.probability(surest.get(i + 1)) < validation.probability(surest.get(i));
      sure = isLimit && i + 1 >= FEWEST_SURE && right >= WANTED * (i + 1) ? i + 1 : sure;
    }
    if (sure == surest.size()) {
      return 0;
    }
    // What is calibrated and that probable is right as often.
    return sure == 0
        ? WANTED
        : (validation.probability(surest.get(sure - 1)) + validation.probability(surest.get(sure)))
            / 2;
  }
}
