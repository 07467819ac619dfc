/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

class CardMemoryTest {

  private static final long SIDE = 16384; // 1 GB

  private static final long MEGABYTE = 1 << 20;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** Three GB a second, all of it garbage, or live once it is there. Looks every tenth second. */
  private static long[] mostAndCollections(boolean garbage, int seconds, double free) {
    CardMemory watch = new CardMemory(2048 * MEGABYTE, 0);
    long held = 0;
    long most = 0;
    long collections = 0;
    for (int tenth = 0; tenth < 10 * seconds; tenth++) {
      held += garbage || tenth < 20 ? 300 * MEGABYTE : 0;
      most = Math.max(most, held);
      if (watch.isDue(held, () -> free, tenth * SECOND / 10)) {
        collections++;
        held = garbage ? 0 : held;
      }
    }
    return new long[] {most / MEGABYTE, collections};
  }

  @Test
  void garbageStaysLittleHoweverLongItIsMade() {
    long[] figures = mostAndCollections(true, 600, 0.5);
    assertThat(figures[0]).isBetween(2048L, 2 * 3000L + 2048L);
    assertThat(figures[1]).isBetween(100L, 600L);
  }

  @Test
  void whatIsInUseIsLookedAtOnlyWhileItGrows() {
    assertThat(mostAndCollections(false, 2, 0.5)[1]).isEqualTo(2);
    assertThat(mostAndCollections(false, 600, 0.5)[1]).isEqualTo(2);
  }

  @Test
  void onAFullCardCollectionsThatDoNotHelpBecomeRare() {
    assertThat(mostAndCollections(false, 600, 0.1)[1]).isBetween(20L, 30L);
  }

  /** Some GB of garbage, where a card has many. */
  @Test
  void garbageIsGivenBackLongBeforeTheCardIsFull() throws InterruptedException {
    assumeTrue(new CudaAlgebra().isForBackend(), "needs a card");
    long before = CardMemory.held();
    long most = 0;
    for (int i = 0; i < 120; i++) {
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
