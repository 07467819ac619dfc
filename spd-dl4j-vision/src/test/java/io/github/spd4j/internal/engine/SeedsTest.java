/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.train.plan.Stage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The same seed gives the same numbers for ever: a training goes on after an update as before. */
class SeedsTest {

  /** An image's seed is mixed of one number, so this is the mixing itself. */
  private static long mixed(long number) {
    return Seeds.ofImage(number ^ 1, 0);
  }

  /** Published first numbers of SplitMix64 for the seeds 0 and 1234567. */
  @Test
  void numbersAreMixedAsBySplitMix64() {
    assertThat(mixed(0)).isEqualTo(0xe220a8397b1dcdafL);
    assertThat(mixed(0x9e3779b97f4a7c15L)).isEqualTo(0x6e789e6aa1b965f4L);
    assertThat(mixed(1234567)).isEqualTo(6457827717110365317L);
  }

  @Test
  void anEpochsSeedIsMixedOfSeedStageAndNumber() {
    assertThat(Seeds.ofEpoch(5, Stage.HEAD, 3)).isEqualTo(mixed(mixed(5) + 3));
    assertThat(Seeds.ofEpoch(5, Stage.WHOLE, 3)).isEqualTo(mixed(mixed(6) + 3));
  }

  @Test
  void anImagesSeedIsMixedOfEpochAndNumber() {
    assertThat(Seeds.ofImage(40, 6)).isEqualTo(mixed(40 ^ 7));
    assertThat(LongStream.range(0, 50).map(i -> Seeds.ofImage(9, (int) i)).distinct().count())
        .isEqualTo(50);
  }

  /** As Java specifies Random and Collections.shuffle. */
  @Test
  void theOrderIsAPermutationThatTheSeedDecides() {
    assertThat(Seeds.order(5, 1)).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
    assertThat(Seeds.order(50, 1)).isEqualTo(Seeds.order(50, 1)).isNotEqualTo(Seeds.order(50, 2));
  }
}
