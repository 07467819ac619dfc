/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

class CardMemoryTest {

  private static final long SIDE = 16384; // 1 GB

  /** Some GB of garbage, where a card has many. */
  @Test
  void garbageIsGivenBackLongBeforeTheCardIsFull() throws InterruptedException {
    assumeTrue(new CudaAlgebra().isForBackend(), "needs a card");
    long before = CardMemory.held();
    long most = 0;
    for (int i = 0; i < 60; i++) {
      Nd4j.createUninitialized(DataType.FLOAT, SIDE, SIDE / 4);
      most = Math.max(most, CardMemory.held());
      for (int pass = 0; pass < 20; pass++) {
        CardMemory.relieve();
      }
      Thread.sleep(100);
    }
    assertThat(most - before).isGreaterThan(1L << 30).isLessThan(8L << 30);
  }

  /** More garbage than the card has memory, and hardly any in Java's heap. */
  @Test
  void garbageIsGivenBackBeforeTheCardIsFull() throws InterruptedException {
    assumeTrue(new CudaAlgebra().isForBackend(), "needs a card");
    double before = CardMemory.freeShare();
    for (int i = 0; i < 200; i++) {
      Nd4j.createUninitialized(DataType.FLOAT, SIDE, SIDE);
      for (int pass = 0; pass < 20; pass++) {
        CardMemory.relieve();
      }
      Thread.sleep(60);
    }
    assertThat(CardMemory.freeShare()).isPositive().isLessThanOrEqualTo(before);
  }
}
