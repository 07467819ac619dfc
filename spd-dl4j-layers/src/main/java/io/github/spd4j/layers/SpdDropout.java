/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.linalg.NumericPolicy;
import java.util.Arrays;
import java.util.Objects;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * Drops rows of a matrix together with the same columns, so that it stays symmetric and positive
 * definite.
 *
 * <pre>
 * m_i = 1 with probability p, and 0 otherwise
 * X_ij ← m_i m_j X_ij / p,   and ε/p on the diagonal where m_i = 0
 * </pre>
 *
 * <p>It is a dropout of DL4J, the only one that layers with a matrix as input accept: {@code new
 * LogEigLayer.Builder().dropOut(new SpdDropout(0.8))}. As in DL4J, p is the probability to keep.
 * Masks are drawn from ND4J's random generator, for each matrix anew; at test time nothing is
 * dropped.
 *
 * <p>As in spd_learn ({@code SPDDropout}), where the probability is that to drop, and ε is 1e-5.
 *
 * <p>When not to use it: before a logarithm with an ε that is far below the eigenvalues, for log ε
 * then speaks louder than all that is kept; give it an ε of their size.
 */
public final class SpdDropout extends MaskedDropout {

  private static final long serialVersionUID = 1L;

  private final double p;
  private final double floor;

  /**
   * With the ε of {@link NumericPolicy#EIGENVALUE_FLOOR}.
   *
   * @param p the probability to keep a row and its column, greater than 0 and at most 1
   */
  public SpdDropout(double p) {
    this(p, NumericPolicy.EIGENVALUE_FLOOR);
  }

  /**
   * With another ε.
   *
   * @param p the probability to keep a row and its column, greater than 0 and at most 1
   * @param floor ε, what is put on the diagonal in the place of a row; not negative
   */
  @JsonCreator
  public SpdDropout(@JsonProperty("p") double p, @JsonProperty("floor") double floor) {
    if (!(p > 0 && p <= 1)) {
      throw new IllegalArgumentException(
          "SpdDropout: expected the probability to keep a row, greater than 0 and at most 1, got p"
              + " = "
              + p);
    }
    if (!(floor >= 0) || Double.isInfinite(floor)) {
      throw new IllegalArgumentException(
          "SpdDropout: expected a finite floor that is not negative, got floor = " + floor);
    }
    this.p = p;
    this.floor = floor;
  }

  /**
   * The probability to keep a row and its column.
   *
   * @return p
   */
  public double getP() {
    return p;
  }

  /**
   * What is put on the diagonal in the place of a row.
   *
   * @return ε
   */
  public double getFloor() {
    return floor;
  }

  @Override
  INDArray draw(INDArray input) {
    if (input.rank() != 4 || input.size(1) != 1 || input.size(2) != input.size(3)) {
      throw new DL4JInvalidInputException(
          "SpdDropout: expected matrices [N, 1, C, C], got shape "
              + Arrays.toString(input.shape())
              + "; give it to a layer behind the KernelAggregationLayer");
    }
    return Nd4j.rand(input.dataType(), input.size(0), input.size(2));
  }

  @Override
  INDArray maskOf(INDArray input, INDArray drawn) {
    long n = input.size(2);
    INDArray kept = drawn.lt(p).castTo(input.dataType());
    return kept.reshape(-1, 1, n, 1).mul(kept.reshape(-1, 1, 1, n)).divi(p);
  }

  @Override
  void addTo(INDArray masked) {
    long n = masked.size(2);
    INDArray dropped = mask().mul(-p).addi(1).muli(floor / p);
    INDArray identity = Nd4j.eye(n).castTo(masked.dataType()).reshape(1, 1, n, n);
    masked.addi(dropped.muli(identity));
  }

  @Override
  public SpdDropout clone() {
    return new SpdDropout(p, floor);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof SpdDropout && ((SpdDropout) o).p == p && ((SpdDropout) o).floor == floor;
  }

  @Override
  public int hashCode() {
    return Objects.hash(p, floor);
  }

  @Override
  public String toString() {
    return "SpdDropout(p=" + p + ", floor=" + floor + ")";
  }
}
