/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import org.ejml.simple.SimpleMatrix;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Moves matrices between ND4J and EJML, the independent oracle. */
public final class Ejml {

  private Ejml() {}

  /** A copy as an EJML matrix. */
  public static SimpleMatrix of(INDArray a) {
    return new SimpleMatrix(a.castTo(org.nd4j.linalg.api.buffer.DataType.DOUBLE).toDoubleMatrix());
  }

  /** A copy as a DOUBLE array. */
  public static INDArray toNd4j(SimpleMatrix a) {
    return Nd4j.createFromArray(a.toArray2());
  }
}
