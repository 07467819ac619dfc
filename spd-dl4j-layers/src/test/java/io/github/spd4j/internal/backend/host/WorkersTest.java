/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.bytedeco.openblas.global.openblas;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;

/** With three threads, however many the machine has. */
class WorkersTest {

  private static final int THREADS = 3;

  private final int ofBlas = BlasThreads.count();
  private final Map<Integer, int[]> ranges = new ConcurrentSkipListMap<>();

  @BeforeEach
  void twoThreadsOfBlas() {
    assumeTrue(Nd4j.getExecutioner().type() == ExecutionerType.NATIVE_CPU);
    openblas.blas_set_num_threads(2);
  }

  @AfterEach
  void restore() {
    openblas.blas_set_num_threads(ofBlas);
  }

  private void take(int worker, int from, int to) {
    assertThat(ranges.put(worker, new int[] {from, to})).isNull();
  }

  /** Side by side, and of lengths that differ by one at most. */
  private void assertNearlyEqual(int items, int parts) {
    assertThat(ranges).hasSize(parts);
    for (int worker = 0; worker < parts; worker++) {
      int[] range = ranges.get(worker);
      assertThat(range[0]).isEqualTo(worker == 0 ? 0 : ranges.get(worker - 1)[1]);
      assertThat(range[1] - range[0]).isBetween(items / parts, items / parts + 1);
    }
    assertThat(ranges.get(parts - 1)[1]).isEqualTo(items);
  }

  @Test
  void thereAreAsManyAsNd4jMayUse() {
    assertThat(Workers.count()).isEqualTo(Nd4j.getEnvironment().maxThreads());
    Workers.share(Workers.count(), this::take);
    assertNearlyEqual(Workers.count(), Workers.count());
    assertThat(Workers.shareProducts(Workers.count(), (worker, from, to) -> {}))
        .isEqualTo(Workers.count());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 11})
  void eachTakesItsPart(int items) {
    Workers.share(THREADS, items, this::take);
    assertNearlyEqual(items, Math.min(items, THREADS));
    assertThat(BlasThreads.count()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 11})
  void eachComputesItsProductsAlone(int items) {
    int parts =
        Workers.shareProducts(
            THREADS,
            items,
            (worker, from, to) -> {
              assertThat(BlasThreads.count()).isEqualTo(1);
              take(worker, from, to);
            });
    assertThat(parts).isEqualTo(THREADS);
    assertNearlyEqual(items, THREADS);
    assertThat(BlasThreads.count()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void allShareTheProductsOfFewItems(int items) {
    int parts =
        Workers.shareProducts(
            THREADS,
            items,
            (worker, from, to) -> {
              assertThat(BlasThreads.count()).isEqualTo(2);
              take(worker, from, to);
            });
    assertThat(parts).isEqualTo(1);
    assertNearlyEqual(items, 1);
  }

  /** What they work on may be given to others then. */
  @Test
  void whoeverFailsIsHeardWhenAllAreDone() {
    IllegalStateException failure = new IllegalStateException("failed");
    CountDownLatch begun = new CountDownLatch(THREADS - 1);
    AtomicInteger done = new AtomicInteger();
    Throwable heard =
        catchThrowable(
            () ->
                Workers.shareProducts(
                    THREADS,
                    THREADS,
                    (worker, from, to) -> {
                      if (worker == 0) {
                        await(begun);
                        throw failure;
                      }
                      begun.countDown();
                      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
                      done.incrementAndGet();
                    }));
    assertThat(done).hasValue(THREADS - 1);
    assertThat(heard).isSameAs(failure);
    assertThat(BlasThreads.count()).isEqualTo(2);
  }

  /** In vain where one thread does the work of several. */
  private static void await(CountDownLatch others) {
    try {
      others.await(200, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
