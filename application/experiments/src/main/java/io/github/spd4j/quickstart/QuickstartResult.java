/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import io.github.spd4j.quickstart.HeadResult.Lead;
import io.github.spd4j.textures.TextureSet;
import io.github.spd4j.train.images.LabelledImages;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The result of a quickstart.
 *
 * @param settings what was asked for
 * @param textures the images
 * @param test the test images as the networks see them, in the order of the textures
 * @param heads the results of the heads, in the order in which they were trained
 */
public record QuickstartResult(
    QuickstartSettings settings, TextureSet textures, LabelledImages test, List<HeadResult> heads) {

  /**
   * The SPD head.
   *
   * @return its result
   */
  public HeadResult spd() {
    return heads.stream().filter(h -> h.name().equals(Quickstart.SPD)).findFirst().orElseThrow();
  }

  /**
   * The best of the other heads.
   *
   * @return its result
   */
  public HeadResult bestOther() {
    return heads.stream()
        .filter(h -> !h.name().equals(Quickstart.SPD))
        .max(Comparator.comparingDouble(HeadResult::accuracy))
        .orElseThrow();
  }

  /**
   * The outcome in one sentence, whatever it is.
   *
   * @return a sentence
   */
  public String verdict() {
    Lead lead = spd().leadOver(bestOther());
    String margin =
        String.format(
            Locale.ROOT,
            "%.1f points (standard error %.1f)",
            100 * Math.abs(lead.difference()),
            100 * lead.standardError());
    String verdict =
        lead.isClear()
            ? "The SPD head is ahead of %s by %s."
            : lead.difference() > 0
                ? "The SPD head did not win clearly: it is ahead of %s by %s."
                : "The SPD head did not win: it is behind %s by %s.";
    return verdict.formatted(bestOther().name(), margin);
  }
}
