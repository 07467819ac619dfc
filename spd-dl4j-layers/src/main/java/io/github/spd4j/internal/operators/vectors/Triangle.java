/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.vectors;

import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.internal.backend.host.HostDoubles;
import java.util.Arrays;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The isometry between triangles of n×n matrices and vectors of length n(n+1)/2, row by row: of
 * symmetric matrices the upper triangle, with √2 off the diagonal, so that the norm of the vector
 * is the Frobenius norm of the matrix; of lower triangles themselves.
 *
 * <pre>
 * symmetric   V = [Y₁₁, √2 Y₁₂, …, √2 Y₁ₙ, Y₂₂, √2 Y₂₃, …, Yₙₙ]
 * lower       V = [L₁₁, L₂₁, L₂₂, L₃₁, …, Lₙₙ]
 * </pre>
 *
 * <p>An isometry is the inverse of its adjoint: {@link #unpack} is both.
 */
public final class Triangle {

  private final int n;
  private final boolean symmetric;

  /** For each place of a matrix, row by row, its place in the vector; none: −1. */
  private final int[] sources;

  /** For each place of a vector, what the entry of the matrix is multiplied by. */
  private final double[] weights;

  /** For each place of a vector, its place in the matrix. */
  private final int[] places;

  private Triangle(int n, boolean symmetric) {
    this.n = n;
    this.symmetric = symmetric;
    this.sources = new int[n * n];
    this.weights = new double[length(n)];
    this.places = new int[length(n)];
    Arrays.fill(sources, -1);
    int next = 0;
    for (int row = 0; row < n; row++) {
      for (int column = symmetric ? row : 0; column < (symmetric ? n : row + 1); column++) {
        places[next] = row * n + column;
        weights[next] = symmetric && row != column ? Math.sqrt(2) : 1;
        sources[places[next]] = next;
        if (symmetric) {
          sources[column * n + row] = next;
        }
        next++;
      }
    }
  }

  /**
   * That of symmetric matrices.
   *
   * @param n their rows, at least 1
   * @return the isometry
   */
  public static Triangle symmetric(int n) {
    return new Triangle(n, true);
  }

  /**
   * That of lower triangles.
   *
   * @param n their rows, at least 1
   * @return the isometry
   */
  public static Triangle lower(int n) {
    return new Triangle(n, false);
  }

  /**
   * The number of entries of a triangle.
   *
   * @param n its rows
   * @return n(n+1)/2
   */
  public static int length(int n) {
    return Math.toIntExact(n * (n + 1L) / 2);
  }

  /**
   * How many rows the triangle of so many entries has.
   *
   * @param length n(n+1)/2
   * @return n
   */
  public static int rows(long length) {
    return (int) Math.round((Math.sqrt(8.0 * length + 1) - 1) / 2);
  }

  /**
   * Computes the vectors of matrices.
   *
   * @param matrices [N, n, n]; of symmetric ones only the upper triangle is read
   * @return [N, n(n+1)/2], DOUBLE
   */
  public INDArray pack(INDArray matrices) {
    double[] from = HostDoubles.of(matrices);
    int images = Math.toIntExact(matrices.size(0));
    int length = places.length;
    double[] vectors = new double[images * length];
    for (int i = 0; i < images; i++) {
      for (int k = 0; k < length; k++) {
        vectors[i * length + k] = weights[k] * from[i * n * n + places[k]];
      }
    }
    return Nd4j.createFromArray(vectors).reshape(images, length);
  }

  /**
   * Computes the matrices of vectors; it is also the gradient of {@link #pack}.
   *
   * @param vectors [N, n(n+1)/2]
   * @return [N, n, n], DOUBLE, symmetric or with zeros above the diagonal
   */
  public INDArray unpack(INDArray vectors) {
    double[] from = HostDoubles.of(vectors);
    int images = Math.toIntExact(vectors.size(0));
    double[] matrices = new double[images * n * n];
    for (int i = 0; i < images; i++) {
      for (int place = 0; place < n * n; place++) {
        int source = sources[place];
        matrices[i * n * n + place] =
            source < 0 ? 0 : from[i * places.length + source] / weights[source];
      }
    }
    return Nd4j.createFromArray(matrices).reshape(images, n, n);
  }

  /**
   * Defines {@link #pack} in SameDiff, by sums over the entries: SameDiff has a gradient of sums,
   * and none of reading at places.
   *
   * @param sd where to define it
   * @param matrices [N, 1, n, n] or [N, n, n]
   * @return [N, n(n+1)/2], of the type of the matrices
   */
  public SDVariable define(SameDiff sd, SDVariable matrices) {
    SDVariable flat = sd.reshape(matrices, -1, (long) n * n);
    SDVariable weighted = flat.mul(sd.constant(row(factors(), matrices.dataType())));
    return Definitions.sums(sd, weighted, places(usedSources()), places.length);
  }

  /**
   * What entries of a matrix are multiplied by where it has those of a vector in all its places.
   */
  private double[] factors() {
    return Arrays.stream(sources).mapToDouble(k -> k < 0 ? 0 : 1 / weights[k]).toArray();
  }

  /** {@link #sources}, any where there is none. */
  private int[] usedSources() {
    return Arrays.stream(sources).map(k -> Math.max(0, k)).toArray();
  }

  /**
   * Defines {@link #unpack} in SameDiff, by sums, too: each entry goes to one triangle, and the
   * other is that transposed.
   *
   * @param sd where to define it
   * @param vectors [N, n(n+1)/2]
   * @return [N, n, n], of the type of the vectors
   */
  public SDVariable defineUnpack(SameDiff sd, SDVariable vectors) {
    double[] shares = new double[places.length];
    for (int k = 0; k < shares.length; k++) {
      boolean isTwice = symmetric && places[k] / n == places[k] % n;
      shares[k] = (isTwice ? 0.5 : 1) / weights[k];
    }
    SDVariable weighted = vectors.mul(sd.constant(row(shares, vectors.dataType())));
    SDVariable flat = Definitions.sums(sd, weighted, places(places), n * n);
    SDVariable triangles = sd.reshape(flat, -1, n, n);
    return symmetric ? triangles.add(Definitions.transposed(sd, triangles)) : triangles;
  }

  /**
   * What the entries of a vector are multiplied by. Whoever asks has an array of its own, which is
   * on its own card.
   */
  INDArray forwardWeights(DataType type) {
    return row(weights, type);
  }

  /** The reciprocals of {@link #forwardWeights}: the adjoint's, before both triangles. */
  INDArray backwardWeights(DataType type) {
    return forwardWeights(type).rdivi(1);
  }

  /** Outside of all workspaces: it lives as long as whoever asks. */
  private static INDArray row(double[] numbers, DataType type) {
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      return Nd4j.createFromArray(new double[][] {numbers}).castTo(type);
    }
  }

  private static INDArray places(int[] numbers) {
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      return Nd4j.createFromArray(numbers);
    }
  }
}
