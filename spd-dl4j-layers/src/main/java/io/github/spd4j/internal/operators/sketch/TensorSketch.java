/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.sketch;

import io.github.spd4j.internal.backend.Definitions;
import java.util.Random;
import org.apache.commons.lang3.Validate;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
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
 * pixels. Plain loops on the host do it: ND4J's gather and scatter operations take many times as
 * long.
 */
public final class TensorSketch {

  private final int n;
  private final int d;

  /** For each place of the matrix (row by row), its place in the sketch. */
  private final int[] places;

  /** For each place of the matrix its sign. */
  private final int[] signs;

  /**
   * A sketch.
   *
   * @param n the number of rows, at least 1
   * @param d the length of the sketch, at least 1
   * @param seed what the h and s are drawn by; the same seed gives the same sketch for ever
   */
  public TensorSketch(int n, int d, long seed) {
    Validate.isTrue(d >= 1, "expected a sketch of at least 1 number, got %s", d);
    this.n = n;
    this.d = d;
    Random random = new Random(seed);
    Hash rows = new Hash(n, d, random);
    Hash columns = new Hash(n, d, random);
    this.places = new int[Math.multiplyExact(n, n)];
    this.signs = new int[places.length];
    for (int i = 0; i < places.length; i++) {
      places[i] = (int) (((long) rows.places[i / n] + columns.places[i % n]) % d);
      signs[i] = rows.signs[i / n] * columns.signs[i % n];
    }
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
   * Defines the sketches in SameDiff.
   *
   * @param sd where to define them
   * @param matrices [N, n, n]
   * @return [N, d]
   */
  public SDVariable define(SameDiff sd, SDVariable matrices) {
    INDArray signRow = Nd4j.createFromArray(signs).castTo(matrices.dataType()).reshape(1, -1);
    SDVariable signed = sd.reshape(matrices, -1, places.length).mul(sd.constant(signRow));
    return Definitions.sums(sd, signed, Nd4j.createFromArray(places), d);
  }

  /**
   * Sketches matrices. Sums are in double precision.
   *
   * @param matrices [N, n, n], unchanged by this method
   * @return [N, d], in the type of the matrices
   */
  public INDArray apply(INDArray matrices) {
    double[][] sketches = new double[(int) matrices.size(0)][d];
    for (int k = 0; k < sketches.length; k++) {
      double[] matrix = matrices.slice(k).reshape(places.length).toDoubleVector();
      for (int i = 0; i < places.length; i++) {
        sketches[k][places[i]] += signs[i] * matrix[i];
      }
    }
    return Nd4j.createFromArray(sketches).castTo(matrices.dataType());
  }

  /**
   * The adjoint of {@link #apply}, its backward pass.
   *
   * @param sketches [N, d], unchanged by this method
   * @return [N, n, n], in the type of the sketches
   */
  public INDArray adjoint(INDArray sketches) {
    INDArray matrices = Nd4j.create(sketches.dataType(), sketches.size(0), places.length);
    double[] matrix = new double[places.length];
    for (long k = 0; k < sketches.size(0); k++) {
      double[] sketch = sketches.slice(k).reshape(d).toDoubleVector();
      for (int i = 0; i < places.length; i++) {
        matrix[i] = signs[i] * sketch[places[i]];
      }
      matrices.slice(k).assign(Nd4j.createFromArray(matrix));
    }
    return matrices.reshape(sketches.size(0), n, n);
  }
}
