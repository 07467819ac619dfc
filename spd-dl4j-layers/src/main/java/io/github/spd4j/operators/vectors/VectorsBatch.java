/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.vectors;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.backend.Scratch;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@link UpperTriangle} and {@link VectorNormalization} with triangles copied by a {@link Algebra},
 * in arrays that are used again: on a GPU a new one costs more than what is computed in it.
 */
public final class VectorsBatch {

  private final UpperTriangle triangle;
  private final VectorNormalization normalization;
  private final Algebra library;
  private final Scratch scratch = new Scratch();

  /** u [N, length] of the last forward pass, or v without power normalisation. */
  private INDArray powered;

  /** √(|v| + φ²) of the last forward pass. */
  private INDArray root;

  /** scale/‖u‖ [N], or 0 without a direction, of the last forward pass. */
  private INDArray inverse;

  /** What entries are multiplied by on the way forward. */
  private INDArray weights;

  /**
   * What they are multiplied by on the way back, with the factor 1/2 in the derivative of a root.
   */
  private INDArray spreading;

  /**
   * The vectors of n×n matrices.
   *
   * @param n rows
   * @param normalization how they are normalised
   * @param library the library
   */
  public VectorsBatch(int n, VectorNormalization normalization, Algebra library) {
    this.triangle = UpperTriangle.of(n);
    this.normalization = normalization;
    this.library = library;
  }

  /**
   * The number of rows of the matrices.
   *
   * @return n
   */
  public int size() {
    return triangle.size();
  }

  /**
   * The forward pass.
   *
   * @param matrices [N, n, n] in C order, not changed; only the upper triangle is read
   * @param vectors where [N, n(n+1)/2] go
   */
  public void forward(INDArray matrices, INDArray vectors) {
    DataType type = vectors.dataType();
    powered = scratch.array(type, "powered", vectors.shape());
    library.packTriangles(matrices, powered);
    prepare(type);
    if (normalization.isPowerNormalization()) {
      root = scratch.array(type, "root", vectors.shape());
      library.signedRoots(powered, weights, normalization.getPowerFloor(), root);
    } else {
      library.scaleColumns(powered, weights, powered);
    }
    double scale = normalization.getScale();
    if (normalization.isL2Normalization()) {
      inverse = scratch.array(type, "inverse", vectors.size(0));
      library.rowProducts(1, powered, powered, inverse);
      double floor = NumericPolicy.NORM_FLOOR;
      library.inverseRoots(inverse, scale, floor * floor);
      library.scaleRows(powered, inverse, vectors);
    } else {
      vectors.assign(powered);
      if (scale != 1) {
        vectors.muli(scale);
      }
    }
  }

  /**
   * The backward pass of the last forward pass.
   *
   * @param gradient the gradient with respect to the vectors, not changed
   * @param byMatrices where the symmetric gradient with respect to the matrices [N, n, n] goes
   */
  public void backward(INDArray gradient, INDArray byMatrices) {
    DataType type = powered.dataType();
    double scale = normalization.getScale();
    INDArray g = scratch.array(type, "gradient", powered.shape()).assign(gradient);
    if (normalization.isL2Normalization()) {
      // ∂L/∂u = (g − u ⟨u, g⟩ / ‖u‖²) scale / ‖u‖
      INDArray onto = scratch.array(type, "onto", powered.size(0), 1);
      library.rowProducts(-1 / (scale * scale), powered, g, onto);
      library.scaleRows(onto, inverse, onto);
      library.scaleRows(onto, inverse, onto);
      INDArray along = scratch.array(type, "along", powered.shape());
      library.scaleRows(powered, onto, along);
      library.scaleRows(g.addi(along), inverse, g);
    } else if (scale != 1) {
      g.muli(scale);
    }
    if (normalization.isPowerNormalization()) {
      g.divi(root);
    }
    library.scaleColumns(g, spreading, g);
    library.unpackSymmetric(g, byMatrices);
  }

  private void prepare(DataType type) {
    if (weights == null || weights.dataType() != type) {
      weights = triangle.forwardWeights(type);
      double slope = normalization.isPowerNormalization() ? 0.5 : 1;
      spreading = triangle.spreadingWeights(type).muli(slope);
    }
  }
}
