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

/** What came out of a quickstart. */
public final class QuickstartResult {

  private final QuickstartSettings settings;
  private final TextureSet textures;
  private final LabelledImages test;
  private final List<HeadResult> heads;

  QuickstartResult(
      QuickstartSettings settings,
      TextureSet textures,
      LabelledImages test,
      List<HeadResult> heads) {
    this.settings = settings;
    this.textures = textures;
    this.test = test;
    this.heads = List.copyOf(heads);
  }

  /**
   * What was asked for.
   *
   * @return the settings
   */
  public QuickstartSettings settings() {
    return settings;
  }

  /**
   * The images.
   *
   * @return the textures
   */
  public TextureSet textures() {
    return textures;
  }

  /**
   * The test images as the networks see them.
   *
   * @return the images, in the order of the textures
   */
  public LabelledImages test() {
    return test;
  }

  /**
   * The heads in the order in which they were trained.
   *
   * @return their results
   */
  public List<HeadResult> heads() {
    return heads;
  }

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
    if (lead.isClear()) {
      return "The SPD head is ahead of " + bestOther().name() + " by " + margin + ".";
    }
    return lead.difference() > 0
        ? "The SPD head did not win clearly: it is ahead of "
            + bestOther().name()
            + " by "
            + margin
            + "."
        : "The SPD head did not win: it is behind " + bestOther().name() + " by " + margin + ".";
  }
}
