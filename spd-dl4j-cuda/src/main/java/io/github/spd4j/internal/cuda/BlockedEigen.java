/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import io.github.spd4j.internal.cuda.Kernels.Shape;
import java.util.HashMap;
import java.util.Map;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.nd4j.jita.allocator.impl.AtomicAllocator;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.jcublas.context.CudaContext;

/**
 * Eigenvalues and eigenvectors of matrices that are too large for a block of threads, by Jacobi's
 * rotations of pairs of blocks of rows. In a round all pairs that have no block in common are
 * rotated at once, and after as many rounds as there are blocks but one every two have met: a
 * sweep. It is over when a sweep finds nothing to rotate.
 */
final class BlockedEigen {

  /** The rows of the largest matrix, as in the kernel. */
  private static final int MOST_ROWS = 512;

  /** As in the kernel: rows of two blocks. */
  private static final int PAIR = 64;

  private static final long TILE_BYTES = (long) PAIR * (PAIR + 1) * Double.BYTES;
  private static final int MOST_SWEEPS = 40;
  private static final String PAIRS = "eigenPairs_double";
  private static final String TURN = "eigenTurn_double";

  /** Memory of a card for the matrices, their basis and the rotations. */
  private static final Map<Integer, CudnnMemory> ROOMS = new HashMap<>();

  private final int count;
  private final long n;
  private final int pairs;
  private final CUstream_st stream;

  /** Places on the card. */
  private final long work;

  private final long basis;
  private final long turns;
  private final long turned;
  private final long since;
  private final long bounds;

  private BlockedEigen(int count, long n, CUstream_st stream) {
    this.count = count;
    this.n = n;
    this.pairs = (int) ((n + PAIR - 1) / PAIR);
    this.stream = stream;
    long rows = rows();
    long doubles = count * (2 * rows * rows + pairs * (PAIR * PAIR + 2L) + 1);
    CudnnMemory room =
        ROOMS.computeIfAbsent(
            AtomicAllocator.getInstance().getDeviceId(), card -> new CudnnMemory());
    this.work = room.atLeast(doubles * Double.BYTES).address();
    this.basis = work + count * rows * rows * Double.BYTES;
    this.turns = basis + count * rows * rows * Double.BYTES;
    this.turned = turns + (long) count * pairs * PAIR * PAIR * Double.BYTES;
    this.since = turned + (long) count * pairs * Double.BYTES;
    this.bounds = since + (long) count * pairs * Double.BYTES;
  }

  private long rows() {
    return (long) pairs * PAIR;
  }

  /** Whether matrices of n rows are not too large, nor the card too small: older ones are. */
  static boolean isFor(long n, Kernels kernels) {
    return n <= MOST_ROWS
        && Math.min(kernels.sharedMemory(PAIRS), kernels.sharedMemory(TURN)) >= 2 * TILE_BYTES;
  }

  /**
   * Decomposes matrices.
   *
   * @param matrices [N, n, n], of which the upper triangle counts
   * @param values computed [N, n]
   * @param vectors computed [N, n, n]
   */
  static void decompose(INDArray matrices, INDArray values, INDArray vectors) {
    AtomicAllocator allocator = AtomicAllocator.getInstance();
    CudaContext context = CudaAlgebra.prepare(null, matrices, values, vectors);
    long from = CudaAlgebra.address(CudaAlgebra.memory(matrices, 0, context));
    long toValues = CudaAlgebra.address(CudaAlgebra.memory(values, 0, context));
    long toVectors = CudaAlgebra.address(CudaAlgebra.memory(vectors, 0, context));
    synchronized (CudaAlgebra.LOCK) {
      BlockedEigen eigen =
          new BlockedEigen(
              (int) matrices.size(0), matrices.size(2), new CUstream_st(context.getCublasStream()));
      eigen.run(CudaAlgebra.kernels(), from, toValues, toVectors);
    }
    allocator.getFlowController().registerAction(context, null, matrices);
    allocator.getFlowController().registerActionAllWrite(context, values, vectors);
  }

  private void run(Kernels kernels, long from, long toValues, long toVectors) {
    Shape all = Shape.of(count);
    Shape many = Shape.of(1024);
    kernels.launch("eigenStart_double", all, many, stream, from, work, basis, bounds, n, rows());
    int sweeps = 0;
    boolean done = false;
    while (!done && sweeps < MOST_SWEEPS) {
      sweep(kernels);
      done = !hasTurned(kernels);
      sweeps++;
    }
    kernels.launch(
        "eigenOrder_double",
        all,
        many,
        stream,
        toValues,
        toVectors,
        work,
        basis,
        bounds,
        n,
        rows(),
        done ? 1 : 0);
  }

  private void sweep(Kernels kernels) {
    Shape each = new Shape(pairs, count, 1);
    int crossings = pairs * (pairs - 1) / 2;
    Shape pieces = new Shape(crossings + (long) pairs * pairs, count, 1);
    for (int round = 0; round < 2 * pairs - 1; round++) {
      kernels.launch(
          PAIRS,
          each,
          Shape.of(512).sharing(2 * TILE_BYTES),
          stream,
          work,
          turns,
          turned,
          since,
          bounds,
          rows(),
          round);
      kernels.launch(
          TURN,
          pieces,
          Shape.of(256).sharing(2 * TILE_BYTES),
          stream,
          work,
          basis,
          turns,
          turned,
          rows(),
          round);
    }
  }

  private boolean hasTurned(Kernels kernels) {
    HostNumbers sum = HostNumbers.of(1);
    kernels.launch(
        "squares_double",
        Shape.of(1),
        Shape.of(1024),
        stream,
        since,
        sum.address(),
        (long) count * pairs,
        1);
    return sum.read(stream, 1)[0] > 0;
  }
}
