/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.images;

import java.util.Collection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Reads the next while one is used: pictures are decoded while a network computes.
 *
 * <p>A thread of its own reads one after the other, in their order, and never more than one ahead.
 * What fails is thrown by the {@link #next} that would have returned it, as it is; the one after
 * that goes on. An interrupt of a thread that waits is passed on to what it waits for. For internal
 * use, by one thread.
 *
 * @param <T> what is read
 */
public final class ReadAhead<T> implements Iterator<T>, AutoCloseable {

  private final Iterator<Callable<T>> reads;
  private final ExecutorService executor = Executors.newSingleThreadExecutor(this::thread);
  private Thread thread;
  private Future<T> ahead;

  /** Whether what is waited for is to be interrupted: an executor forgets it before it begins. */
  private volatile boolean isInterrupted;

  private ReadAhead(Iterator<Callable<T>> reads) {
    this.reads = reads;
  }

  /**
   * Reads some things. Nothing is read before the first is asked for.
   *
   * @param keys what to read
   * @param read reads it; called by one thread at a time, and never after {@link #close}
   * @param <K> what things are known by
   * @param <T> what is read
   * @return to be closed after use
   */
  public static <K, T> ReadAhead<T> of(Collection<K> keys, Function<K, T> read) {
    int device = Nd4j.getAffinityManager().getDeviceForCurrentThread();
    return new ReadAhead<>(
        keys.stream().<Callable<T>>map(key -> () -> read(device, key, read)).iterator());
  }

  /** A device may still be at work on arrays, for this thread; other threads would not wait. */
  private static <K, T> T read(int device, K key, Function<K, T> read) {
    Nd4j.getAffinityManager().unsafeSetDevice(device);
    T result = read.apply(key);
    Nd4j.getExecutioner().commit();
    return result;
  }

  private Thread thread(Runnable work) {
    thread = new Thread(work, "reads ahead");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public boolean hasNext() {
    return ahead != null || reads.hasNext();
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    Future<T> next = ahead == null ? submit(reads.next()) : ahead;
    ahead = null;
    T read = await(next);
    if (reads.hasNext()) {
      ahead = submit(reads.next());
    }
    return read;
  }

  private Future<T> submit(Callable<T> read) {
    return executor.submit(
        () -> {
          if (isInterrupted) {
            Thread.currentThread().interrupt();
          }
          return read.call();
        });
  }

  private T await(Future<T> read) {
    try {
      while (true) {
        try {
          return read.get();
        } catch (InterruptedException e) {
          isInterrupted = true;
          thread.interrupt();
        }
      }
    } catch (ExecutionException e) {
      return ExceptionUtils.rethrow(e.getCause());
    } finally {
      restore(isInterrupted);
      isInterrupted = false;
    }
  }

  /** Waits until nothing is read any more. Neither the thread nor what it read stays. */
  @Override
  public void close() {
    if (ahead != null) {
      ahead.cancel(false); // an interrupt would close channels, which may be read from later
    }
    executor.shutdown();
    boolean interrupted = false;
    while (thread != null && thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    restore(interrupted);
  }

  private static void restore(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
