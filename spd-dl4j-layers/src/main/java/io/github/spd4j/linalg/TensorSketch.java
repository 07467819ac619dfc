/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import java.util.Arrays;
import java.util.Random;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The tensor sketch of n×n matrices: a random linear map to d numbers that keeps inner products in
 * the mean.
 *
 * <pre>
 * v_k = Σ s₁(i) s₂(j) X_ij   over all i, j with h₁(i) + h₂(j) ≡ k (mod d)
 * </pre>
 *
 * <p>The h are drawn uniformly from 0 … d−1 and the s from ±1, by a seed. For {@code X = x yᵀ} this
 * is the circular convolution of the count sketches of x and y, which others compute by Fourier
 * transforms for each pixel; by linearity it may as well be applied once, to the sum over the
 * pixels.
 */
public final class TensorSketch {

  private final int n;
  private final int d;

  /** For each place of the matrix (row by row), its place in the sketch. */
  private final INDArray sketchIndex;

  /** For each place of the matrix its sign, as a row. */
  private final INDArray signs;

  /** For each place of the sketch the places of the matrix that go there, filled up with 0. */
  private final INDArray matrixIndex;

  /** The signs of those, 0 for what only fills up, [1, d, most]. */
  private final INDArray weights;

  /**
   * A sketch.
   *
   * @param n the number of rows, at least 1
   * @param d the length of the sketch, at least 1
   * @param seed what the h and s are drawn by; the same seed gives the same sketch for ever
   */
  public TensorSketch(int n, int d, long seed) {
    if (d < 1) {
      throw new IllegalArgumentException("wants a sketch of at least 1 number, got " + d);
    }
    this.n = n;
    this.d = d;
    Random random = new Random(seed);
    Hash rows = new Hash(n, d, random);
    Hash columns = new Hash(n, d, random);
    int[] places = new int[Math.multiplyExact(n, n)];
    double[] placeSigns = new double[places.length];
    for (int i = 0; i < places.length; i++) {
      places[i] = (int) (((long) rows.places[i / n] + columns.places[i % n]) % d);
      placeSigns[i] = rows.signs[i / n] * columns.signs[i % n];
    }
    int[] counts = counts(places);
    int most = Arrays.stream(counts).max().orElse(0);
    int[] sources = new int[Math.multiplyExact(d, most)];
    double[] sourceSigns = new double[sources.length];
    for (int i = 0; i < places.length; i++) {
      int free = places[i] * most + --counts[places[i]];
      sources[free] = i;
      sourceSigns[free] = placeSigns[i];
    }
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      sketchIndex = Nd4j.createFromArray(places);
      signs = Nd4j.createFromArray(placeSigns).reshape(1, places.length);
      matrixIndex = Nd4j.createFromArray(sources);
      weights = Nd4j.createFromArray(sourceSigns).reshape(1, d, most);
    }
  }

  /** How many places of the matrix go to each place of the sketch. */
  private int[] counts(int[] places) {
    int[] counts = new int[d];
    for (int place : places) {
      counts[place]++;
    }
    return counts;
  }

  /** h and s of the rows, or of the columns. */
  private static final class Hash {
    private final int[] places;
    private final int[] signs;

    Hash(int n, int d, Random random) {
      places = new int[n];
      signs = new int[n];
      for (int i = 0; i < n; i++) {
        places[i] = random.nextInt(d);
        signs[i] = random.nextBoolean() ? 1 : -1;
      }
    }
  }

  /**
   * The size of the matrices.
   *
   * @return n
   */
  public int size() {
    return n;
  }

  /**
   * Defines the map.
   *
   * @param sd where to define it
   * @param matrices [N, n, n]
   * @return [N, d]
   */
  public SDVariable define(SameDiff sd, SDVariable matrices) {
    SDVariable flat = sd.reshape(matrices, -1, (long) n * n);
    SDVariable gathered = sd.gather(flat, sd.constant(matrixIndex), 1);
    SDVariable signed =
        sd.reshape(gathered, -1, d, weights.size(2))
            .mul(sd.constant(weights.castTo(matrices.dataType())));
    return signed.sum(false, 2);
  }

  /**
   * The adjoint of the map, its backward pass.
   *
   * @param sketches [N, d]
   * @return [N, n, n]
   */
  public INDArray adjoint(INDArray sketches) {
    DataType type = sketches.dataType();
    INDArray flat = Matrices.columns(sketches, sketchIndex);
    return flat.muli(signs.castTo(type)).reshape(sketches.size(0), n, n);
  }
}
