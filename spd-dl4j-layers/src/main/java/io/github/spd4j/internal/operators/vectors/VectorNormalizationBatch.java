/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.vectors;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** {@link VectorNormalization} over an {@link Algebra}, a whole batch at a time. */
final class VectorNormalizationBatch {

  static final String POWERED = "powered"; // u, or v without power normalisation
  static final String ROOT = "root"; // √(|v| + φ²)
  static final String INVERSE = "inverse norm"; // scale/‖u‖ [N], or 0 without a direction

  private final VectorNormalization normalization;
  private final Algebra algebra;

  /**
   * The computation of a normalisation.
   *
   * @param normalization the normalisation
   * @param algebra the algebra
   */
  VectorNormalizationBatch(VectorNormalization normalization, Algebra algebra) {
    this.normalization = normalization;
    this.algebra = algebra;
  }

  /**
   * Normalises vectors.
   *
   * @param vectors v [N, length], replaced by u, which is kept
   * @param weights what the entries of v are multiplied by first [1, length]
   * @param results where the normalised vectors go
   * @param saved what the backward pass needs
   */
  void forward(INDArray vectors, INDArray weights, INDArray results, ForwardPass saved) {
    DataType type = vectors.dataType();
    saved.keep(POWERED, vectors);
    if (normalization.isPowerNormalization()) {
      INDArray root = saved.keep(type, ROOT, vectors.shape());
      algebra.signedRoots(vectors, weights, normalization.getPowerFloor(), root);
    } else {
      algebra.scaleColumns(vectors, weights, vectors);
    }
    if (normalization.isL2Normalization()) {
      INDArray inverse = saved.keep(type, INVERSE, vectors.size(0));
      algebra.rowProducts(1, vectors, vectors, inverse);
      inverse(inverse);
      algebra.scaleRows(vectors, inverse, results);
    } else {
      results.assign(vectors);
      if (normalization.getScale() != 1) {
        results.muli(normalization.getScale());
      }
    }
  }

  /** Replaces ‖u‖² by scale/‖u‖, or by 0 where the norm is not above its floor. */
  void inverse(INDArray squares) {
    double floor = NumericPolicy.NORM_FLOOR;
    algebra.inverseRoots(squares, normalization.getScale(), floor * floor);
  }

  /**
   * The gradient with respect to the weighted v, but for {@link #remainingFactor}: {@code ∂L/∂u =
   * scale (g − u ⟨u, g⟩ / ‖u‖²) / ‖u‖}, {@code ∂L/∂v = ∂L/∂u / 2√(|v| + φ²)}.
   *
   * @param g the gradient with respect to the normalised vectors; replaced
   * @param saved what the forward pass kept
   */
  void backward(INDArray g, ForwardPass saved) {
    if (normalization.isL2Normalization()) {
      DataType type = g.dataType();
      double scale = normalization.getScale();
      INDArray powered = saved.get(POWERED);
      INDArray inverse = saved.get(INVERSE);
      INDArray onto = saved.scratch().array(type, "onto", powered.size(0), 1);
      algebra.rowProducts(-1 / (scale * scale), powered, g, onto);
      algebra.scaleRows(onto, inverse, onto);
      algebra.scaleRows(onto, inverse, onto);
      INDArray along = saved.scratch().array(type, "along", powered.shape());
      algebra.scaleRows(powered, onto, along);
      algebra.add(1, along, g);
      algebra.scaleRows(g, inverse, g);
    }
    if (normalization.isPowerNormalization()) {
      g.divi(saved.get(ROOT));
    }
  }

  /**
   * What the result of {@link #backward} is still to be multiplied by: a constant, which goes into
   * the weights where there are some.
   *
   * @return the factor
   */
  double remainingFactor() {
    double slope = normalization.isPowerNormalization() ? 0.5 : 1;
    return normalization.isL2Normalization() ? slope : slope * normalization.getScale();
  }
}
