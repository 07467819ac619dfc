/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;

class SharedScratchTest {

  /** On a device only its own thread knows when it is no longer at work on them. */
  private static final boolean IS_LEFT_TO_THE_NEXT =
      Nd4j.getExecutioner().type() == ExecutionerType.NATIVE_CPU;

  private static Scratch used() {
    try (SharedScratch shared = new SharedScratch()) {
      return shared.get();
    }
  }

  @Test
  void theNextTakesItOver() {
    Scratch first = used();
    assertThat(used() == first).isEqualTo(IS_LEFT_TO_THE_NEXT);
  }

  @Test
  void whoeverIsInsideAnotherHasOneOfItsOwn() {
    try (SharedScratch outer = new SharedScratch()) {
      assertThat(used()).isNotSameAs(outer.get()).isNotNull();
      try (SharedScratch inner = new SharedScratch()) {
        assertThat(inner.get()).isNotSameAs(outer.get());
        assertThat(used()).isNotSameAs(outer.get()).isNotSameAs(inner.get());
      }
    }
  }

  @Test
  void whoeverFailsLeavesItToo() {
    Scratch[] taken = new Scratch[1];
    assertThatThrownBy(
            () -> {
              try (SharedScratch shared = new SharedScratch()) {
                taken[0] = shared.get();
                throw new IllegalStateException("failed");
              }
            })
        .hasMessage("failed");
    assertThat(used() == taken[0]).isEqualTo(IS_LEFT_TO_THE_NEXT);
  }
}
