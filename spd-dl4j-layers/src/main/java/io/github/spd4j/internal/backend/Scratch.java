/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import io.github.spd4j.internal.backend.host.Workers;
import java.lang.ref.SoftReference;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.nd4j.common.util.ArrayUtil;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Arrays that are reused. The operating system provides fresh memory page by page as it is first
 * touched, which for large arrays takes longer than computing with them.
 *
 * <p>Whoever keeps results in the arrays makes a scratch of its own. Whoever needs them only within
 * a method takes a {@linkplain #shared() shared} one.
 *
 * <p>For one thread at a time. The arrays lie outside of all workspaces.
 */
public final class Scratch implements AutoCloseable {

  /** Shared ones that nobody uses at present; those that were used last come first. */
  private static final Deque<SoftReference<Scratch>> SPARE = new ConcurrentLinkedDeque<>();

  private final Map<String, INDArray> buffers = new HashMap<>();

  /** By name the array that was last handed out: making a view of a buffer takes time too. */
  private final Map<String, INDArray> arrays = new HashMap<>();

  private final Map<String, float[][]> heaps = new HashMap<>();

  /** Scratch without arrays yet, for the caller alone. */
  public Scratch() {}

  /**
   * Scratch that all layers share. The caller has it alone until it is closed, and leaves its
   * arrays to the next: there are as many as passes run at a time, however many layers there are.
   * The garbage collector takes those that have not been used for long. Java arrays may be longer
   * than they were asked for.
   *
   * @return what is spare, or a new one; to be closed once
   */
  public static Scratch shared() {
    Scratch spare = null;
    while (spare == null && !SPARE.isEmpty()) {
      SoftReference<Scratch> next = SPARE.pollFirst();
      spare = next == null ? null : next.get();
    }
    return spare == null ? new Scratch() : spare;
  }

  /**
   * Leaves a shared scratch to the next. On a device nothing is left: it may still be at work on
   * the arrays for one thread, and other threads would not wait.
   */
  @Override
  public void close() {
    if (Nd4j.getExecutioner().type() == ExecutionerType.NATIVE_CPU) {
      SPARE.addFirst(new SoftReference<>(this));
    }
  }

  /**
   * A FLOAT array. Treat it as uninitialised: it may hold what was last written under this name.
   *
   * @param name tells arrays apart that are in use at the same time
   * @param shape its shape
   * @return the array, row by row
   */
  public INDArray array(String name, long... shape) {
    return array(DataType.FLOAT, name, shape);
  }

  /**
   * An uninitialised Java array for each {@linkplain Workers worker}.
   *
   * @param name tells arrays apart that are in use at the same time
   * @param length the least number of elements
   * @return the arrays by worker
   */
  public float[][] heaps(String name, int length) {
    float[][] present = heaps.get(name);
    int workers = Workers.count();
    if (present == null || present.length < workers || present[0].length < length) {
      present = new float[workers][length];
      heaps.put(name, present);
    }
    return present;
  }

  /**
   * One uninitialised Java array.
   *
   * @param name tells arrays apart that are in use at the same time, those for workers too
   * @param length the least number of elements
   * @return the array
   */
  public float[] heap(String name, int length) {
    float[][] present = heaps.get(name);
    if (present == null || present[0].length < length) {
      present = new float[1][length];
      heaps.put(name, present);
    }
    return present[0];
  }

  /**
   * An array of any type. Treat it as uninitialised: it may hold what was last written under this
   * name.
   *
   * @param type its type
   * @param name tells arrays apart that are in use at the same time
   * @param shape its shape
   * @return the array, row by row
   */
  public INDArray array(DataType type, String name, long... shape) {
    INDArray last = arrays.get(name);
    if (last != null && last.dataType() == type && Arrays.equals(last.shape(), shape)) {
      return last;
    }
    long length = ArrayUtil.prodLong(shape);
    INDArray buffer = buffers.get(name);
    if (buffer == null || buffer.length() < length || buffer.dataType() != type) {
      try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
        buffer = Nd4j.createUninitialized(type, length);
      }
      buffers.put(name, buffer);
    }
    INDArray part =
        buffer.length() == length ? buffer : buffer.get(NDArrayIndex.interval(0, length));
    INDArray array = part.reshape('c', shape);
    arrays.put(name, array);
    return array;
  }
}
