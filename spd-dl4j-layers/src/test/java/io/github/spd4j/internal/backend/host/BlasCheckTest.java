/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class BlasCheckTest {

  private static final Path ROOT = Path.of(System.getProperty("spd4j.root"));

  /** Back substitution, row by row from the last. */
  private static void solve(int n, double[] triangle, double[] b) {
    for (int i = n - 1; i >= 0; i--) {
      for (int j = 0; j < n; j++) {
        for (int k = i + 1; k < n; k++) {
          b[i * n + j] -= triangle[i * n + k] * b[k * n + j];
        }
        b[i * n + j] /= triangle[i * n + i];
      }
    }
  }

  @Test
  void takesASolutionThatIsRight() {
    assertThat(BlasCheck.isRight(BlasCheckTest::solve)).isTrue();
  }

  @Test
  void noticesOneWrongNumber() {
    assertThat(
            BlasCheck.isRight(
                (n, triangle, b) -> {
                  solve(n, triangle, b);
                  b[n + 3] += 1e-9;
                }))
        .isFalse();
  }

  @Test
  void takesAZeroOfEitherSign() {
    assertThat(
            BlasCheck.isRight(
                (n, triangle, b) -> {
                  solve(n, triangle, b);
                  for (int i = 0; i < b.length; i++) {
                    b[i] = b[i] == 0 ? -0.0 : b[i];
                  }
                }))
        .isTrue();
  }

  @Test
  void noticesNaN() {
    assertThat(BlasCheck.isRight((n, triangle, b) -> b[0] = Double.NaN)).isFalse();
  }

  /** So that nothing is rounded, and a number that is taken for its neighbour shows. */
  @Test
  void itsNumbersAreSmallWholeOnesUnlikeTheirNeighbours() {
    BlasCheck.isRight(
        (n, triangle, b) -> {
          solve(n, triangle, b);
          for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
              double entry = triangle[i * n + j];
              if (j > i) {
                assertThat(entry).isIn(0.0, 1.0, 2.0, 3.0, 4.0);
                assertThat(j > i + 1 && entry == triangle[i * n + j - 1]).isFalse();
                assertThat(i > 0 && entry == triangle[(i - 1) * n + j]).isFalse();
              } else {
                assertThat(entry).isEqualTo(j == i ? 1 : 0);
              }
              double solution = b[i * n + j];
              assertThat(solution).isIn(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
              assertThat(j > 0 && solution == b[i * n + j - 1]).isFalse();
              assertThat(i > 0 && solution == b[(i - 1) * n + j]).isFalse();
            }
          }
        });
  }

  @Test
  void saysWhatToDo() throws IOException {
    assertThatThrownBy(() -> BlasCheck.requireRightDoubles(false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("set OPENBLAS_CORETYPE=HASWELL")
        .hasMessageContaining("org.bytedeco:openblas:" + versionOfThisBuild());
  }

  @Test
  void theManualNamesTheOpenBlasOfThisBuild() throws IOException {
    assertThat(Files.readString(ROOT.resolve("docs/depending.md")))
        .contains("<version>" + versionOfThisBuild() + "</version>");
  }

  private static String versionOfThisBuild() throws IOException {
    Matcher version =
        Pattern.compile("<openblas.version>(.+)</openblas.version>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")));
    assertThat(version.find()).isTrue();
    return version.group(1);
  }

  /** The other tests of this library are worth something. */
  @Test
  void theBlasOfTheseTestsIsRight() {
    assertThatCode(BlasCheck::requireRightDoubles).doesNotThrowAnyException();
  }
}
