/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static picocli.CommandLine.Help.Visibility.NEVER;

import io.github.spd4j.experiments.UserException;
import io.github.spd4j.models.ModelCard;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Options that set fields of objects which know nothing of a command line.
 *
 * <p>An option is given as in its help: names, then a label for its value if it has one, with
 * spaces between. What the help says about it is in the command's resource bundle.
 */
final class SettingsOptions {

  private final CommandSpec spec;
  private final List<OptionSpec> options = new ArrayList<>();
  private final List<Runnable> assignments = new ArrayList<>();

  SettingsOptions(CommandSpec spec) {
    this.spec = spec;
  }

  /** Assigns what was parsed to the fields. */
  void assign() {
    assignments.forEach(Runnable::run);
  }

  /** The names of those that the command line had, without dashes. */
  List<String> given() {
    ParseResult parsed = spec.commandLine().getParseResult();
    return options.stream()
        .filter(parsed::hasMatchedOption)
        .map(option -> option.longestName().replaceFirst("^-+", ""))
        .toList();
  }

  /** An option with a default; one whose default is false needs no value. */
  <T> void add(String usage, T value, Consumer<T> field) {
    Class<?> type = value instanceof Path ? Path.class : value.getClass();
    add(builder(usage).type(type).initialValue(value), field);
  }

  /** An option with a number that has a least value. */
  <T extends Number> void addAtLeast(T least, String usage, T value, Consumer<T> field) {
    add(
        usage,
        value,
        x ->
            field.accept(
                require(x.doubleValue() >= least.doubleValue(), usage, "at least " + least, x)));
  }

  /** A seed as an option gave it: 0 is refused, for which ND4J takes the time of day. */
  static long seed(long seed) {
    if (seed == 0) {
      throw new UserException(
          "--seed needs a number other than 0: a run with seed 0 could not be repeated");
    }
    return seed;
  }

  /** The size of images; 0 stands for a default that depends, as its description says. */
  void addSize(String usage, Consumer<Integer> field) {
    int most = ModelCard.LARGEST_SIZE;
    addOpen(usage, x -> field.accept(require(x <= most, usage, "at most " + most, x)));
  }

  /** An option with a number; 0 stands for a default that depends, as its description says. */
  void addOpen(String usage, Consumer<Integer> field) {
    Consumer<Integer> checked = x -> field.accept(require(x >= 0, usage, "at least 0", x));
    add(builder(usage).type(Integer.class).initialValue(0).showDefaultValue(NEVER), checked);
  }

  /** An option with a number above zero. */
  void addPositive(String usage, Double value, Consumer<Double> field) {
    add(usage, value, x -> field.accept(require(x > 0, usage, "more than 0", x)));
  }

  private static <T> T require(boolean holds, String usage, String expected, T got) {
    if (!holds) {
      String option = usage.substring(0, usage.indexOf(' '));
      throw new UserException("%s needs %s, got %s".formatted(option, expected, got));
    }
    return got;
  }

  /** An option without a default; its field becomes null. */
  <T> void addOptional(String usage, Class<T> type, Consumer<T> field) {
    add(builder(usage).type(type), field);
  }

  /** An option with values between commas. */
  <T> void addList(String usage, Class<T> type, List<T> values, Consumer<List<T>> field) {
    add(list(usage, type, values), field);
  }

  /** An option with names between commas, which the help lists; others are not refused. */
  void addNames(
      String usage, List<String> names, List<String> values, Consumer<List<String>> field) {
    add(list(usage, String.class, values).completionCandidates(names), field);
  }

  /** An option with a name, of those that the help lists. */
  void addName(String usage, List<String> names, String value, Consumer<String> field) {
    add(builder(usage).type(String.class).initialValue(value).completionCandidates(names), field);
  }

  private static <T> OptionSpec.Builder list(String usage, Class<T> type, List<T> values) {
    OptionSpec.Builder list = builder(usage).type(List.class).auxiliaryTypes(type);
    return list.splitRegex(",").initialValue(values);
  }

  /** An option that may be given several times, each with a text of its own. */
  void addTexts(String usage, Consumer<List<String>> field) {
    OptionSpec.Builder texts = builder(usage).type(List.class).auxiliaryTypes(String.class);
    add(texts.initialValue(List.of()), field);
  }

  /** An option with pairs KEY=RATE between commas, which are put into a map. */
  <K> void addRates(String usage, Class<K> type, Map<K, Double> rates) {
    OptionSpec.Builder pairs = builder(usage).type(Map.class).auxiliaryTypes(type, Double.class);
    Consumer<Map<K, Double>> put =
        given -> given.forEach((key, x) -> rates.put(key, require(x >= 0, usage, "at least 0", x)));
    add(pairs.splitRegex(",").initialValue(Map.of()), put);
  }

  private static OptionSpec.Builder builder(String usage) {
    List<String> words = List.of(usage.split(" "));
    String[] names = words.stream().filter(word -> word.startsWith("-")).toArray(String[]::new);
    OptionSpec.Builder option = OptionSpec.builder(names);
    return names.length == words.size() ? option : option.paramLabel(words.get(words.size() - 1));
  }

  private <T> void add(OptionSpec.Builder builder, Consumer<T> field) {
    OptionSpec option = builder.build();
    spec.addOption(option);
    options.add(option);
    assignments.add(() -> field.accept(option.getValue()));
  }
}
