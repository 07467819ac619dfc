/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResamplingTest {

  private static final float ROUNDING = 1e-4f;

  @Test
  void theSameLengthChangesNothing() {
    float[] line = {3, 1, 4, 1, 5};
    assertThat(new Resampling(5, 5).alongRowsTransposed(line, 1)).containsExactly(line);
  }

  @Test
  void aLongerLineInterpolates() {
    assertThat(new Resampling(2, 4).alongRowsTransposed(new float[] {0, 8}, 1))
        .containsExactly(0, 2, 6, 8);
  }

  @Test
  void aShorterLineWeighsAllValues() {
    // Centre 1, reach 2: shares 3, 3, 1 of 7; mirrored for the other one.
    assertThat(new Resampling(4, 2).alongRowsTransposed(new float[] {7, 14, 28, 56}, 1))
        .containsExactly(new float[] {13, 38}, within(ROUNDING));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 60, 61, 200})
  void aPlainLineStaysPlain(int length) {
    float[] line = new float[61];
    Arrays.fill(line, 200);
    float[] expected = new float[length];
    Arrays.fill(expected, 200);
    assertThat(new Resampling(61, length).alongRowsTransposed(line, 1))
        .containsExactly(expected, within(ROUNDING));
  }

  @Test
  void fineStripesFade() {
    float[] stripes = new float[300];
    for (int i = 0; i < stripes.length; i += 2) {
      stripes[i] = 255;
    }
    for (float value : new Resampling(300, 70).alongRowsTransposed(stripes, 1)) {
      assertThat(value).isCloseTo(127.5f, within(20f));
    }
  }

  @Test
  void rowsBecomeColumns() {
    float[] matrix = {1, 2, 3, 4, 5, 6};
    assertThat(new Resampling(3, 3).alongRowsTransposed(matrix, 2))
        .containsExactly(1, 4, 2, 5, 3, 6);
  }
}
