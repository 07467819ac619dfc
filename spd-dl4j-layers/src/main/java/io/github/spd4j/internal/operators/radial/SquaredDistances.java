/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.radial;

import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * {@code D_ij = ‖f_i − f_j‖²} between the rows of each matrix of a stack, from one Gram product.
 *
 * <p>The expansion {@code ‖f_i‖² + ‖f_j‖² − 2 f_i·f_j} cancels when rows are close to each other
 * compared with their length. Two things keep the damage down: the rows are first {@linkplain
 * #centre centred} on their common mean, which changes no distance but shortens the rows, and what
 * cannot be told from rounding is zero, so that equal rows (and the diagonal) have distance 0.
 */
public final class SquaredDistances {

  private SquaredDistances() {}

  /**
   * Subtracts from each row the mean of all rows.
   *
   * @param rows [N, C, P]
   * @return [N, C, P], with the same distances
   */
  static SDVariable centre(SDVariable rows) {
    return rows.sub(rows.mean(true, 1));
  }

  /**
   * Defines the squared distances.
   *
   * @param sd where to define them
   * @param rows [N, C, P], best {@linkplain #centre centred}
   * @param count C
   * @param length P
   * @return [N, C, C], not negative, zero on the diagonal
   */
  static SDVariable define(SameDiff sd, SDVariable rows, long count, long length) {
    double kept = 1 - NumericPolicy.distanceRounding(rows.dataType(), length);
    SDVariable minusTwiceGram = sd.mmul(rows.mul(-2.0), rows, false, true, false);
    // The norms come out of the same product, so that its rounding cancels on the diagonal.
    SDVariable norms = diagonal(sd, minusTwiceGram, count).mul(-0.5 * kept);
    SDVariable distances = minusTwiceGram.add(norms).add(Definitions.transposed(sd, norms));
    return sd.nn().relu(distances, 0);
  }

  /**
   * The squared distances of the rows of one matrix, centred and clamped in the same way, computed
   * in double precision whatever the type of the argument.
   *
   * @param rows [C, P], unchanged by this method
   * @return DOUBLE [C, C], not negative, zero on the diagonal
   */
  public static INDArray between(INDArray rows) {
    INDArray exact = rows.castTo(DataType.DOUBLE);
    INDArray centred = exact.sub(exact.mean(true, 0));
    INDArray gram = Matrices.transposeSecond(centred, centred);
    double kept = 1 - NumericPolicy.distanceRounding(DataType.DOUBLE, rows.columns());
    INDArray norms = Nd4j.diag(gram).mul(kept).reshape(-1, 1);
    INDArray distances = gram.muli(-2).addi(norms).addi(norms.reshape(1, -1));
    return Transforms.relu(distances, false);
  }

  /** The diagonals [N, C, 1] of a stack of matrices [N, C, C]. */
  private static SDVariable diagonal(SameDiff sd, SDVariable matrices, long size) {
    return size == 1
        ? matrices // ND4J's sum fails where there is one entry to add
        : matrices.mul(Definitions.identity(sd, matrices.dataType(), size)).sum(true, 2);
  }
}
