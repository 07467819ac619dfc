/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A campaign leaves out nothing that draws cases from seeds, and what fails can be replayed. */
@Tag("once")
class GeneratorTest {

  private static final Path ROOT = Path.of(System.getProperty("spd4j.root"));

  /** Seeds of its own, or none. */
  private static final Pattern OWN =
      Pattern.compile("getInteger\\(\"spd4j|getLong\\(\"spd4j|Math\\.random|ThreadLocalRandom");

  /** The tests of all modules but this class and the list, by name. */
  private static Map<String, String> tests() throws IOException {
    Map<String, String> tests = new TreeMap<>();
    for (Path folder : List.of(ROOT, ROOT.resolve("application"))) {
      try (Stream<Path> modules = Files.list(folder)) {
        for (Path module : modules.collect(Collectors.toList())) {
          read(module.resolve("src/test/java"), tests);
        }
      }
    }
    tests.keySet().removeAll(List.of("Generator.java", "GeneratorTest.java"));
    return tests;
  }

  private static void read(Path sources, Map<String, String> tests) throws IOException {
    if (Files.isDirectory(sources)) {
      try (Stream<Path> files = Files.walk(sources)) {
        files
            .filter(Files::isRegularFile)
            .forEach(file -> tests.put(file.getFileName().toString(), text(file)));
      }
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void eachRunsInOneTest() throws IOException {
    Map<String, String> tests = tests();
    for (Generator generator : Generator.values()) {
      Pattern use = Pattern.compile("Generator\\." + generator + "\\b");
      assertThat(tests.values()).filteredOn(text -> use.matcher(text).find()).hasSize(1);
    }
  }

  @Test
  void nothingDrawsFromSeedsOfItsOwn() throws IOException {
    tests()
        .forEach(
            (name, text) -> {
              assertThat(OWN.matcher(text).find()).as(name).isFalse();
              if (name.endsWith("FuzzTest.java")) {
                assertThat(text).as(name).contains("Generator.");
              }
            });
  }

  @Test
  void aFailureSaysHowToReplayIt() {
    assertThatThrownBy(
            () ->
                Generator.LISTS.each(
                    seed -> {
                      throw new IOException("disk full");
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("LISTS of seed ")
        .hasMessageContaining(": disk full")
        .hasMessageContaining("mvn test -Dtest=GeneratorTest -Dspd4j.campaign.replay=")
        .hasCauseInstanceOf(IOException.class);
  }

  @Test
  void aGeneratorThatProvesLittleFails() {
    assumeFalse(Generator.isCampaign() || Generator.isReplay(), "which take longer");
    assertThatThrownBy(() -> Generator.LISTS.each(0.1, seed -> true)).hasMessageContaining("share");
    assertThatThrownBy(() -> Generator.LISTS.each(0.1, seed -> seed % 20 == 0))
        .hasMessageContaining("share refused");
    Generator.LISTS.each(0.1, seed -> seed % 2 == 0);
  }
}
