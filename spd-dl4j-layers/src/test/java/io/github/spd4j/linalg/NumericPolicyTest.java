/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;

class NumericPolicyTest {

  @Test
  void whatIsNotAboveItsFloorHasNoInverse() {
    assertThat(NumericPolicy.inverse(4, 1)).isEqualTo(0.25);
    assertThat(NumericPolicy.inverse(1, 1)).isZero();
    assertThat(NumericPolicy.inverse(-2, 1)).isZero();
    assertThat(NumericPolicy.inverse(Double.NaN, 1)).isNaN();
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 1.5, 2, 3, 1e20, 3.4e38, 1e300, Double.MAX_VALUE})
  void shrinkingBringsWhatIsLargeBetween1And2(double largest) {
    double factor = NumericPolicy.shrinking(largest);
    assertThat(factor * largest).isGreaterThanOrEqualTo(1).isLessThan(2);
    assertThat(factor * largest / factor).isEqualTo(largest); // a power of two rounds nothing
  }

  @Test
  void shrinkingLeavesWhatIsSmall() {
    assertThat(NumericPolicy.shrinking(0.999)).isEqualTo(1);
    assertThat(NumericPolicy.shrinking(1e-30)).isEqualTo(1);
    assertThat(NumericPolicy.shrinking(0)).isEqualTo(1);
  }

  @Test
  void eachTypeHasItsOwnLimits() {
    assertThat(1f + (float) NumericPolicy.epsilon(DataType.FLOAT)).isEqualTo(Math.nextUp(1f));
    assertThat(1 + NumericPolicy.epsilon(DataType.DOUBLE)).isEqualTo(Math.nextUp(1.0));
    assertThat(NumericPolicy.offManifold(DataType.FLOAT)).isEqualTo(1e-4);
    assertThat(NumericPolicy.offManifold(DataType.DOUBLE)).isEqualTo(1e-10);
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      double most = type == DataType.FLOAT ? Float.MAX_VALUE : Double.MAX_VALUE;
      // Ten thousand such sums still do not overflow, and are far above any usual ones.
      assertThat(NumericPolicy.largeSquare(type)).isBetween(Math.sqrt(most), most / 1e4);
    }
    assertThatThrownBy(() -> NumericPolicy.epsilon(DataType.BOOL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("type: expected FLOAT or DOUBLE, got BOOL");
  }

  @Test
  void theRoundingOfDistancesGrowsWithTheRootOfTheLength() {
    double small = NumericPolicy.distanceRounding(DataType.FLOAT, 1);
    assertThat(small).isBetween(1e-7, 1e-5);
    assertThat(NumericPolicy.distanceRounding(DataType.FLOAT, 196)).isEqualTo(small);
    assertThat(NumericPolicy.distanceRounding(DataType.FLOAT, 4 * 196)).isEqualTo(2 * small);
    assertThat(NumericPolicy.distanceRounding(DataType.DOUBLE, 1)).isBetween(1e-16, 1e-14);
  }
}
