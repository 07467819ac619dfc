/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The public types of the library are those of "The public API, by task" in architecture.md. */
class PublicApiTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern LIBRARY = Pattern.compile("<module>(spd-dl4j-[a-z]+)</module>");
  private static final Pattern TYPE = Pattern.compile("`([A-Z]\\w+)`");

  @Test
  void thePublicTypesAreThoseOfTheTable() throws IOException {
    Set<String> found = new TreeSet<>();
    for (String module : all(LIBRARY, Files.readString(ROOT.resolve("pom.xml")))) {
      Path sources = ROOT.resolve(module).resolve("src/main/java");
      if (Files.exists(sources)) {
        found.addAll(publicTypes(sources));
      }
    }
    assertThat(found).containsExactlyElementsOf(new TreeSet<>(namedInTheTable()));
  }

  private static Set<String> publicTypes(Path sources) throws IOException {
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !sources.relativize(file).startsWith("io/github/spd4j/internal"))
          .filter(PublicApiTest::isPublic)
          .map(PublicApiTest::name)
          .collect(Collectors.toSet());
    }
  }

  private static String name(Path file) {
    return file.getFileName().toString().replace(".java", "");
  }

  private static boolean isPublic(Path file) {
    String declaration =
        "(?m)^public [\\w ]*(class|interface|enum|record|@interface) " + name(file) + "\\b";
    try {
      return Pattern.compile(declaration).matcher(Files.readString(file)).find();
    } catch (IOException e) {
      throw new AssertionError(file.toString(), e);
    }
  }

  private static Set<String> namedInTheTable() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/architecture.md"));
    String section = page.split("\n## The public API, by task\n")[1].split("\n## ")[0];
    return section
        .lines()
        .filter(line -> line.startsWith("| ") && !line.startsWith("| Task "))
        .flatMap(line -> all(TYPE, line.split(" \\| ", 2)[1]).stream())
        .collect(Collectors.toSet());
  }

  private static Set<String> all(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map((MatchResult match) -> match.group(1))
        .collect(Collectors.toSet());
  }
}
