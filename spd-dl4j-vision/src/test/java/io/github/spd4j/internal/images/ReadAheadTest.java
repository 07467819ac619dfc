/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadAheadTest {

  private static final List<Integer> KEYS = List.of(3, 1, 4, 1, 5);

  private final Set<Thread> readers = ConcurrentHashMap.newKeySet();
  private final Semaphore begun = new Semaphore(0);

  private int read(int key) {
    readers.add(Thread.currentThread());
    begun.release();
    return 10 * key;
  }

  @AfterEach
  void noThreadIsLeft() {
    assertThat(readers).hasSizeLessThan(2).noneMatch(Thread::isAlive);
  }

  @Test
  void allAreReadInTheirOrderOnOneOtherThread() {
    List<Integer> all = new ArrayList<>();
    try (ReadAhead<Integer> ahead = ReadAhead.of(KEYS, this::read)) {
      ahead.forEachRemaining(all::add);
      assertThat(ahead.hasNext()).isFalse();
      assertThatThrownBy(ahead::next).isInstanceOf(NoSuchElementException.class);
    }
    assertThat(all).containsExactly(30, 10, 40, 10, 50);
    assertThat(readers).hasSize(1).doesNotContain(Thread.currentThread());
  }

  @Test
  void nothingIsReadUnlessAskedFor() {
    try (ReadAhead<Integer> ahead = ReadAhead.of(KEYS, this::read)) {
      assertThat(ahead.hasNext()).isTrue();
    }
    try (ReadAhead<Integer> none = ReadAhead.of(List.of(), this::read)) {
      assertThat(none.hasNext()).isFalse();
    }
    assertThat(readers).isEmpty();
  }

  /** The next, and no other. */
  @Test
  void oneIsReadWhileTheOneBeforeIsUsed() throws InterruptedException {
    try (ReadAhead<Integer> ahead = ReadAhead.of(KEYS, this::read)) {
      ahead.next();
      for (int used = 1; used < KEYS.size(); used++) {
        assertThat(begun.tryAcquire(used == 1 ? 2 : 1, 20, TimeUnit.SECONDS)).isTrue();
        assertThat(begun.tryAcquire(50, TimeUnit.MILLISECONDS)).isFalse();
        ahead.next();
      }
      assertThat(begun.tryAcquire(50, TimeUnit.MILLISECONDS)).isFalse();
    }
  }

  @Test
  void aFailureIsThrownInItsPlaceAsItIsAndTheRestIsRead() {
    Error failure = new AssertionError("damaged");
    try (ReadAhead<Integer> ahead =
        ReadAhead.of(
            KEYS,
            key -> {
              read(key);
              if (key == 4) {
                throw failure;
              }
              return key;
            })) {
      assertThat(ahead.next()).isEqualTo(3);
      assertThat(ahead.next()).isEqualTo(1);
      assertThatThrownBy(ahead::next).isSameAs(failure);
      assertThat(ahead.next()).isEqualTo(1);
      assertThat(ahead.next()).isEqualTo(5);
      assertThat(ahead.hasNext()).isFalse();
    }
  }

  /** Whoever fails while one is read ahead may read by itself when it is closed. */
  @Test
  void closingWaitsForWhatIsReadAndDoesNotInterruptIt() throws InterruptedException {
    AtomicInteger done = new AtomicInteger();
    CountDownLatch second = new CountDownLatch(1);
    try (ReadAhead<Integer> ahead =
        ReadAhead.of(
            KEYS,
            key -> {
              read(key);
              if (key == 1) {
                second.countDown();
                sleep(200);
              }
              return done.incrementAndGet();
            })) {
      ahead.next();
      assertThat(second.await(20, TimeUnit.SECONDS)).isTrue();
      Thread.currentThread().interrupt();
    }
    assertThat(Thread.interrupted()).isTrue();
    assertThat(done).hasValue(2);
  }

  private static void sleep(int milliseconds) {
    try {
      Thread.sleep(milliseconds);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** As if it were read on the thread that waits, also where the reader has not begun yet. */
  @RepeatedTest(20)
  void anInterruptReachesWhatIsWaitedFor() {
    try (ReadAhead<Integer> ahead =
        ReadAhead.of(
            KEYS,
            key -> {
              read(key);
              sleep(20_000);
              return key;
            })) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(ahead::next).hasMessage("interrupted");
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
