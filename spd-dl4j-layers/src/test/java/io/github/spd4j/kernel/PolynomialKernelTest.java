/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("once")
class PolynomialKernelTest {

  private abstract static class Polynomial extends KernelContract {
    private final int degree;
    private final double offset;
    private final double scale;

    Polynomial(int degree, double offset, double scale) {
      this.degree = degree;
      this.offset = offset;
      this.scale = scale;
    }

    @Override
    final Kernel kernel() {
      return PolynomialKernel.degree(degree).offset(offset).scale(scale);
    }

    @Override
    final double byDefinition(double[] fi, double[] fj, double sigma) {
      double product = 0;
      for (int p = 0; p < fi.length; p++) {
        product += fi[p] * fj[p];
      }
      return Math.pow(scale * product + offset, degree);
    }
  }

  @Nested
  class Linear extends Polynomial {
    Linear() {
      super(1, 0, 1);
    }
  }

  @Nested
  class Quadratic extends Polynomial {
    Quadratic() {
      super(2, 1, 0.2);
    }
  }

  @Nested
  class CubicWithoutOffset extends Polynomial {
    CubicWithoutOffset() {
      super(3, 0, 0.3);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 1, degree=0",
    "2, -1, 1, offset=-1.0",
    "2, 1, 0, scale=0.0",
    "2, NaN, 1, offset=NaN",
    "2, 1, Infinity, scale=Infinity"
  })
  void whatIsNotAMercerKernelIsRefused(int degree, double offset, double scale, String named) {
    assertThatThrownBy(() -> PolynomialKernel.degree(degree).offset(offset).scale(scale))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs degree ≥ 1, offset ≥ 0 and scale > 0")
        .hasMessageContaining(named);
  }
}
