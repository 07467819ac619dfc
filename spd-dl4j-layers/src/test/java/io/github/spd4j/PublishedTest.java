/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The versions that users get are those that the build tests with. */
@Tag("once")
class PublishedTest {

  private static String text(String file) throws IOException {
    return Files.readString(Path.of(System.getProperty("spd4j.root"), file));
  }

  private static String find(String regex, String text) {
    return Pattern.compile(regex, Pattern.DOTALL)
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + regex));
  }

  private static String managed(String artifact, String bom) {
    return find("<artifactId>" + artifact + "</artifactId>\\s*<version>([^<]*)<", bom);
  }

  @Test
  void theBomHasTheVersionsOfTheBuild() throws IOException {
    String parent = text("pom.xml");
    String version = managed("spd-dl4j-parent", parent);
    String bom = text("spd-dl4j-bom/pom.xml");
    for (String module : List.of("layers", "acceleration", "vision", "onnx", "cuda", "spark")) {
      assertThat(managed("spd-dl4j-" + module, bom)).as(module).isEqualTo(version);
      assertThat(text("spd-dl4j-" + module + "/pom.xml"))
          .contains("<unpublished>false</unpublished>");
    }
    assertThat(managed("nd4j-native-platform", bom))
        .isEqualTo(find("<dl4j.version>([^<]*)<", parent));
    assertThat(managed("openblas", bom)).isEqualTo(find("<openblas.version>([^<]*)<", parent));
    assertThat(managed("spd-dl4j-bom", text("docs/depending.md"))).isEqualTo(version);
    assertThat(managed("spd-dl4j-layers", text("README.md"))).isEqualTo(version);
  }

  @Test
  void theDocumentedBindingIsOfTheSameSlf4j() throws IOException {
    assertThat(managed("slf4j-simple", text("docs/depending.md")))
        .isEqualTo(find("<slf4j.version>([^<]*)<", text("pom.xml")));
  }

  /** Programs find a released version by its headings. */
  @Test
  void theChangelogHasAHeadingForTheVersion() throws IOException {
    String version = managed("spd-dl4j-parent", text("pom.xml")).replace("-SNAPSHOT", "");
    assertThat(Pattern.compile("(?m)^## \\[(.*?)\\]").matcher(text("CHANGELOG.md")).results())
        .extracting((MatchResult heading) -> heading.group(1))
        .contains(version);
  }
}
