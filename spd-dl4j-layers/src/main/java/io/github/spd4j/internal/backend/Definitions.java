/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** What the definitions in SameDiff are made of, beside the operations that SameDiff has. */
public final class Definitions {

  private static final double LN_2 = Math.log(2);

  private Definitions() {}

  /**
   * A variable as a constant of the backward pass: its value, up to rounding, and no gradient. It
   * is written as whole numbers of units, which are powers of two: no gradient passes by a whole
   * number.
   *
   * @param sd the graph
   * @param x FLOAT or DOUBLE, finite
   * @return the same numbers
   */
  public static SDVariable held(SameDiff sd, SDVariable x) {
    boolean isDouble = x.dataType() == DataType.DOUBLE;
    double least = isDouble ? 0x1p-900 : 0x1p-100; // keeps the unit a normal number
    SDVariable digits = sd.math().log(sd.math().abs(x).add(least)).div(LN_2);
    SDVariable places = whole(sd.math().floor(digits)).sub(isDouble ? 51 : 22);
    SDVariable unit = sd.math().exp(places.mul(LN_2));
    return whole(sd.math().round(x.div(unit))).mul(unit);
  }

  private static SDVariable whole(SDVariable x) {
    return x.castTo(DataType.INT64).castTo(x.dataType());
  }

  /**
   * {@code √x}, whose slope at 0 counts as 0.
   *
   * @param sd the graph
   * @param x numbers that are not negative
   * @return the roots
   */
  public static SDVariable root(SameDiff sd, SDVariable x) {
    SDVariable positive = sd.gt(x, 0).castTo(x.dataType());
    return sd.math().sqrt(x.mul(positive).add(positive.rsub(1))).mul(positive);
  }

  /**
   * The identity matrix, as often as a definition needs it: Deeplearning4j 1.0.0-M1.1 does not
   * differentiate graphs in which a constant is used twice.
   *
   * @param sd the graph
   * @param type its type
   * @param n its rows
   * @return [1, n, n]
   */
  public static SDVariable identity(SameDiff sd, DataType type, long n) {
    return sd.identity(sd.constant(Nd4j.eye(n).castTo(type).reshape(1, n, n)));
  }

  /**
   * A stack of transposed matrices.
   *
   * @param sd the graph
   * @param matrices [N, m, n]
   * @return [N, n, m]
   */
  public static SDVariable transposed(SameDiff sd, SDVariable matrices) {
    return sd.permute(matrices, 0, 2, 1);
  }

  /**
   * The symmetric parts of a stack of matrices.
   *
   * @param sd the graph
   * @param matrices [N, n, n]
   * @return [N, n, n]
   */
  public static SDVariable symmetric(SameDiff sd, SDVariable matrices) {
    return matrices.add(transposed(sd, matrices)).mul(0.5);
  }

  /**
   * The sums of those entries of each row that have the same place.
   *
   * @param sd the graph
   * @param rows [N, length]
   * @param places where each entry goes
   * @param count how many places there are
   * @return [N, count]
   */
  public static SDVariable sums(SameDiff sd, SDVariable rows, INDArray places, int count) {
    if (places.length() == 1) { // ND4J would take the columns for a vector
      INDArray only = Nd4j.zeros(rows.dataType(), 1, count).putScalar(places.getInt(0), 1);
      return rows.mul(sd.constant(only));
    }
    SDVariable columns = sd.permute(rows, 1, 0);
    return sd.permute(sd.unsortedSegmentSum(columns, sd.constant(places), count), 1, 0);
  }

  /**
   * Gives a variable a name, unless another has it: where a graph has the same definition twice.
   *
   * @param sd the graph
   * @param x the variable
   * @param name the name
   * @return the variable
   */
  public static SDVariable named(SameDiff sd, SDVariable x, String name) {
    return sd.hasVariable(name) ? x : x.rename(name);
  }
}
