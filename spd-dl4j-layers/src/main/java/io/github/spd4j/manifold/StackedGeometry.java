/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.operators.orthonormal.FactorBatch;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The geometry by a {@link Algebra}, in arrays that are used again. Numbers are read back only
 * where a method returns them, and for the size of each step of a polar factor.
 */
final class StackedGeometry implements StiefelGeometry {

  private final Algebra library;
  private final ArrayGeometry onAnyBackend = new ArrayGeometry();
  private final Map<String, Room> rooms = new HashMap<>();
  private final Map<String, INDArray> few = new HashMap<>();

  StackedGeometry(Algebra library) {
    this.library = library;
  }

  @Override
  public INDArray gradient(Metric metric, INDArray w, INDArray g) {
    Room room = roomFor(w);
    room.tangent.assign(g);
    if (metric == Metric.CANONICAL) {
      multiply(1, MatrixStack.of(g).transpose(), w, 0, room.square);
      multiply(-1, MatrixStack.of(w), room.square, 1, room.tangent);
    } else {
      setSymmetricPart(room, w, g);
      multiply(-1, MatrixStack.of(w), room.symmetric, 1, room.tangent);
    }
    return room.tangent;
  }

  @Override
  public void addProjection(double kept, INDArray target, double factor, INDArray w, INDArray z) {
    Room room = roomFor(w);
    setSymmetricPart(room, w, z);
    multiply(factor, MatrixStack.of(z), room.factor.identity(), kept, target);
    multiply(-factor, MatrixStack.of(w), room.symmetric, 1, target);
  }

  /** Of WᵀZ. */
  private void setSymmetricPart(Room room, INDArray w, INDArray z) {
    multiply(1, MatrixStack.of(w).transpose(), z, 0, room.square);
    library.addTransposed(room.stackOfSquare, 0.5, room.stackOfSymmetric);
  }

  private void multiply(double alpha, MatrixStack a, INDArray b, double beta, INDArray c) {
    library.multiply(alpha, a, MatrixStack.of(b), beta, MatrixStack.of(c), 1);
  }

  @Override
  public INDArray quotient(INDArray vector, double divisor) {
    Room room = roomFor(vector);
    multiply(1 / divisor, MatrixStack.of(vector), room.factor.identity(), 0, room.tangent);
    return room.tangent;
  }

  /** A polar factor is known to be orthonormal from its last step: it is not looked at again. */
  @Override
  public INDArray retract(Retraction retraction, INDArray w, double t, INDArray tangent) {
    return retraction == Retraction.POLAR
        ? roomFor(w).factor.polarOfSum(w, t, tangent)
        : onAnyBackend.retract(retraction, w, t, tangent);
  }

  @Override
  public double squaredNorm(INDArray a) {
    double norm = a.norm2Number().doubleValue();
    return norm * norm;
  }

  /** By way of a small array: what is read of an array brings all of it to the host. */
  @Override
  public double[] read(INDArray vector, long from, int count) {
    INDArray numbers = few(vector.dataType(), count);
    library.copy(vector, from, numbers, 0, 1, count);
    return onAnyBackend.read(numbers, 0, count);
  }

  @Override
  public void write(INDArray vector, long from, double... numbers) {
    INDArray small = few(vector.dataType(), numbers.length);
    onAnyBackend.write(small, 0, numbers);
    library.copy(small, 0, vector, from, 1, numbers.length);
  }

  private INDArray few(DataType type, int count) {
    return few.computeIfAbsent(type + " " + count, key -> kept(type, count));
  }

  private Room roomFor(INDArray w) {
    String key = w.dataType() + Arrays.toString(w.shape());
    return rooms.computeIfAbsent(key, size -> new Room(library, w));
  }

  private static INDArray kept(DataType type, long... shape) {
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      return Nd4j.createUninitialized(type, shape, 'c');
    }
  }

  /** The arrays for matrices of one type and size. */
  private static final class Room {
    final INDArray tangent;
    final INDArray square;
    final INDArray symmetric;
    final INDArray stackOfSquare;
    final INDArray stackOfSymmetric;
    final FactorBatch factor;

    Room(Algebra library, INDArray w) {
      DataType type = w.dataType();
      long n = w.size(0);
      long p = w.size(1);
      tangent = kept(type, n, p);
      square = kept(type, p, p);
      symmetric = kept(type, p, p);
      stackOfSquare = square.reshape('c', 1, p, p);
      stackOfSymmetric = symmetric.reshape('c', 1, p, p);
      factor = new FactorBatch(library, type, n, p);
    }
  }
}
