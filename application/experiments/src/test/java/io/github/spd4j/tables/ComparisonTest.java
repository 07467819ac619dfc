/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.experiments.Difference;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import org.junit.jupiter.api.Test;

class ComparisonTest {

  /** By whole numbers: 2 Σ C(n, k) / 2ⁿ for k up to the smaller count. */
  private static double exact(int first, int other) {
    int all = first + other;
    BigInteger sum = BigInteger.ZERO;
    BigInteger term = BigInteger.ONE;
    for (int k = 0; k <= Math.min(first, other); k++) {
      sum = sum.add(term);
      term = term.multiply(BigInteger.valueOf(all - k)).divide(BigInteger.valueOf(k + 1));
    }
    BigDecimal share =
        new BigDecimal(sum.shiftLeft(1))
            .divide(new BigDecimal(BigInteger.ONE.shiftLeft(all)), MathContext.DECIMAL64);
    return Math.min(1, share.doubleValue());
  }

  @Test
  void theChanceIsThatOfMcNemarsExactTest() {
    assertThat(new Difference(10, 2).chance()).isCloseTo(0.03857421875, within(1e-12));
    for (int[] counts : new int[][] {{0, 0}, {0, 1}, {7, 0}, {5, 5}, {3, 20}, {700, 640}}) {
      assertThat(new Difference(counts[0], counts[1]).chance())
          .isCloseTo(exact(counts[0], counts[1]), within(1e-9));
    }
  }
}
