/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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
  private static final Pattern ROOM = Pattern.compile("`([a-z0-9.]+)`");

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

  /** A row names the rooms of its types. */
  @Test
  void eachTypeIsInARoomOfItsRow() throws IOException {
    for (String row : rows()) {
      String[] cells = row.split(" \\| ", 2);
      Set<String> rooms = new TreeSet<>();
      for (String type : all(TYPE, cells[1])) {
        rooms.add(room(type));
      }
      assertThat(all(ROOM, cells[0])).as(cells[0]).containsExactlyInAnyOrderElementsOf(rooms);
    }
  }

  private static String room(String type) throws IOException {
    for (String module : all(LIBRARY, Files.readString(ROOT.resolve("pom.xml")))) {
      Path base = ROOT.resolve(module).resolve("src/main/java/io/github/spd4j");
      if (Files.exists(base)) {
        try (Stream<Path> files = Files.walk(base)) {
          Optional<Path> source = files.filter(file -> file.endsWith(type + ".java")).findFirst();
          if (source.isPresent()) {
            return base.relativize(source.get())
                .getParent()
                .toString()
                .replace(File.separator, ".");
          }
        }
      }
    }
    throw new AssertionError("no source of " + type);
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
    return rows().stream()
        .flatMap(line -> all(TYPE, line.split(" \\| ", 2)[1]).stream())
        .collect(Collectors.toSet());
  }

  private static List<String> rows() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/architecture.md"));
    String section = page.split("\n## The public API, by task\n")[1].split("\n## ")[0];
    return section
        .lines()
        .filter(line -> line.startsWith("| ") && !line.startsWith("| Task "))
        .toList();
  }

  private static Set<String> all(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map((MatchResult match) -> match.group(1))
        .collect(Collectors.toSet());
  }
}
