/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BlasCheckTest {

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

  @Test
  void saysWhatToDo() {
    assertThatThrownBy(() -> BlasCheck.requireRightDoubles(false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("set OPENBLAS_CORETYPE=HASWELL");
  }

  /** The other tests of this library are worth something. */
  @Test
  void theBlasOfTheseTestsIsRight() {
    assertThatCode(BlasCheck::requireRightDoubles).doesNotThrowAnyException();
  }
}
