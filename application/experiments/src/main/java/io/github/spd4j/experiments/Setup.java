/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.train.plan.LayerGroup;
import java.util.EnumMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** How a head is made and trained: the options of a command, some of them maybe replaced. */
final class Setup {

  private static final String DASHES = "--";

  final String name;
  final HeadOptions head;
  final TrainingOptions training;

  private Setup(String name, HeadOptions head, TrainingOptions training) {
    this.name = name;
    this.head = head;
    this.training = training;
  }

  /** The options as they were given. */
  static Setup given(ExperimentOptions options) {
    return new Setup("as given", options.head, options.training);
  }

  /**
   * The options as they were given, but for some.
   *
   * @param text options with their values, with or without dashes: "scale 3 rate transform=0.01"
   * @throws Mistake if there is no such option of heads or training, or it wants another value
   */
  static Setup but(ExperimentOptions options, String text) {
    Parsed parsed = new Parsed(options.head.copy(), options.training.copy());
    CommandLine line = new CommandLine(parsed).setCaseInsensitiveEnumValuesAllowed(true);
    String[] words = text.trim().split("\\s+");
    for (int i = 0; i < words.length; i++) {
      OptionSpec named = line.getCommandSpec().findOption(DASHES + words[i]);
      words[i] = named == null ? words[i] : DASHES + words[i];
    }
    try {
      line.parseArgs(words);
    } catch (ParameterException e) {
      throw new Mistake(
          "--try needs options of heads and training with their values, got '"
              + text
              + "': "
              + e.getMessage(),
          e);
    }
    parsed.training.headRates = merged(options.training.headRates, parsed.training.headRates);
    parsed.training.wholeRates = merged(options.training.wholeRates, parsed.training.wholeRates);
    return new Setup(String.join(" ", text.trim().split("\\s+")), parsed.head, parsed.training);
  }

  private static Map<LayerGroup, Double> merged(
      Map<LayerGroup, Double> given, Map<LayerGroup, Double> replaced) {
    Map<LayerGroup, Double> all = new EnumMap<>(LayerGroup.class);
    all.putAll(given);
    all.putAll(replaced);
    return all;
  }

  /** What a candidate can name. */
  @Command
  private static final class Parsed {
    @Mixin private final HeadOptions head;
    @Mixin private final TrainingOptions training;

    Parsed(HeadOptions head, TrainingOptions training) {
      this.head = head;
      this.training = training;
    }
  }
}
