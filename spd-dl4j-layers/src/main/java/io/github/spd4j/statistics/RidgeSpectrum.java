/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.SymmetricEigen;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * Ridge regression of centred targets Y on centred examples X for any penalty, after one
 * eigendecomposition of the smaller of XᵀX and XXᵀ.
 *
 * <p>With eigenvectors V and eigenvalues Λ, let {@code M = XV} for XᵀX and {@code M = V√Λ} for XXᵀ.
 * The fitted values are {@code M (Λ + λ)⁻¹ MᵀY} either way, and the diagonal of that hat matrix is
 * {@code hᵢᵢ = Σⱼ Mᵢⱼ² / (Λⱼ + λ)}.
 */
final class RidgeSpectrum {

  private final INDArray examples;
  private final INDArray targets;
  private final boolean ofColumns;
  private final INDArray vectors;
  private final INDArray values;
  private final INDArray factors;
  private final INDArray squares;
  private final INDArray rotated;

  private RidgeSpectrum(INDArray examples, INDArray targets) {
    this.examples = examples;
    this.targets = targets;
    this.ofColumns = examples.columns() < examples.rows();
    INDArray gram =
        ofColumns
            ? Matrices.transposeFirst(examples, examples)
            : Matrices.transposeSecond(examples, examples);
    this.vectors = Matrices.symmetricPart(gram.castTo(DataType.DOUBLE)).dup('f');
    if (!Double.isFinite(vectors.norm2Number().doubleValue())) {
      throw new NotFiniteException("expected finite examples, got NaN or infinity in them");
    }
    this.values =
        Transforms.max(SymmetricEigen.overwriteByVectors(vectors), 0).reshape(1, vectors.rows());
    this.factors =
        ofColumns
            ? Matrices.product(examples.castTo(DataType.DOUBLE), vectors)
            : vectors.mulRowVector(Transforms.sqrt(values));
    this.squares = factors.mul(factors);
    this.rotated = Matrices.transposeFirst(factors, targets);
  }

  /**
   * Decomposes.
   *
   * @param examples [N, d], each column with mean 0
   * @param targets [N, k], each column with mean 0, DOUBLE
   * @throws NotFiniteException if the examples are not finite
   */
  static RidgeSpectrum of(INDArray examples, INDArray targets) {
    return new RidgeSpectrum(examples, targets);
  }

  /** The mean of what the examples have in common with themselves, above zero. */
  double meanEigenvalue() {
    double mean = values.sumNumber().doubleValue() / examples.rows();
    return Math.max(mean, NumericPolicy.RIDGE_FLOOR);
  }

  private INDArray inverse(double penalty) {
    return values.add(penalty).rdivi(1);
  }

  private INDArray fitted(INDArray inverse) {
    return Matrices.product(factors, rotated.mulColumnVector(inverse.transpose()));
  }

  /** The answer to each example of a fit to all others, minus the mean of the targets, [N, k]. */
  INDArray leaveOneOut(double penalty) {
    INDArray inverse = inverse(penalty);
    // 1 − hᵢᵢ, where the free intercept takes 1/N
    INDArray free = Matrices.product(squares, inverse.transpose()).rsubi(1 - 1.0 / examples.rows());
    INDArray residuals = targets.sub(fitted(inverse)).diviColumnVector(free);
    return targets.sub(residuals);
  }

  /** The weights [d, k], in the type of the examples. */
  INDArray weights(double penalty) {
    INDArray inverse = inverse(penalty);
    if (ofColumns) {
      INDArray weights = Matrices.product(vectors, rotated.mulColumnVector(inverse.transpose()));
      return weights.castTo(examples.dataType());
    }
    INDArray dual = targets.sub(fitted(inverse)).divi(penalty);
    return Matrices.transposeFirst(examples, dual.castTo(examples.dataType()));
  }
}
