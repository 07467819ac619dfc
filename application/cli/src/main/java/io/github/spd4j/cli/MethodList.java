/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** What {@code --method} takes: three that are recommended, and all others where one asks. */
final class MethodList {

  private static final String OPTION = "--help-methods";

  private static final Map<Method, String> RECOMMENDED = new LinkedHashMap<>();

  static {
    RECOMMENDED.put(Method.SPD_ROOT, "classes that look alike; up to 512 maps");
    RECOMMENDED.put(Method.ISQRT_COV, "the same with more maps (ResNet-50)");
    RECOMMENDED.put(Method.B_CNN, "textures, or only a few minutes");
  }

  private MethodList() {}

  /** Adds the option that lists all methods. */
  static void addTo(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(OPTION).help(true).description("Show all methods, and exit.").build());
  }

  static boolean isAsked(ParseResult parsed) {
    return parsed.hasMatchedOption(OPTION);
  }

  /** The recommended methods, a line each, for the help of an option. */
  static String recommended() {
    return RECOMMENDED.keySet().stream().map(MethodList::line).collect(Collectors.joining("%n"))
        + "%n"
        + OPTION
        + " shows all "
        + Method.values().length;
  }

  private static String line(Method method) {
    return method.key() + ": " + RECOMMENDED.get(method);
  }

  /** All methods, the recommended ones first. */
  static String all() {
    return Stream.concat(
            Stream.concat(
                Stream.of("Recommended:"),
                RECOMMENDED.entrySet().stream()
                    .map(entry -> row(entry.getKey(), entry.getValue()))),
            Stream.concat(
                Stream.of("", "Others; docs/experiments.md says more:"),
                Stream.of(Method.values())
                    .filter(method -> !RECOMMENDED.containsKey(method))
                    .map(method -> row(method, method.title(false)))))
        .collect(Collectors.joining("\n"));
  }

  private static String row(Method method, String text) {
    return "  %-24s %s".formatted(method.key(), text);
  }
}
