/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;

class ScratchTest {

  /** On a device only its own thread knows when it is no longer at work on them. */
  private static final boolean IS_LEFT_TO_THE_NEXT =
      Nd4j.getExecutioner().type() == ExecutionerType.NATIVE_CPU;

  private static Scratch used() {
    try (Scratch scratch = Scratch.shared()) {
      return scratch;
    }
  }

  @Test
  void theNextTakesItOver() {
    Scratch first = used();
    assertThat(used() == first).isEqualTo(IS_LEFT_TO_THE_NEXT);
  }

  @Test
  void whoeverIsInsideAnotherHasOneOfItsOwn() {
    try (Scratch outer = Scratch.shared()) {
      assertThat(used()).isNotSameAs(outer).isNotNull();
      try (Scratch inner = Scratch.shared()) {
        assertThat(inner).isNotSameAs(outer);
        assertThat(used()).isNotSameAs(outer).isNotSameAs(inner);
      }
    }
  }

  @Test
  void whoeverFailsLeavesItToo() {
    Scratch[] taken = new Scratch[1];
    assertThatThrownBy(
            () -> {
              try (Scratch scratch = Scratch.shared()) {
                taken[0] = scratch;
                throw new IllegalStateException("failed");
              }
            })
        .hasMessage("failed");
    assertThat(used() == taken[0]).isEqualTo(IS_LEFT_TO_THE_NEXT);
  }
}
