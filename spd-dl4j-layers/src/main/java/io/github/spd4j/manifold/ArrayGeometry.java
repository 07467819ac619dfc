/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.backend.Scratch;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The geometry on any backend. */
final class ArrayGeometry implements StiefelGeometry {

  private final Scratch room = new Scratch();

  @Override
  public INDArray gradient(Metric metric, INDArray w, INDArray g) {
    return metric.gradient(w, g);
  }

  @Override
  public void addProjection(double kept, INDArray target, double factor, INDArray w, INDArray z) {
    if (kept != 1) {
      target.muli(kept);
    }
    Stiefel.addProjection(target, factor, w, z);
  }

  @Override
  public INDArray quotient(INDArray vector, double divisor) {
    return vector.div(divisor);
  }

  @Override
  public INDArray retract(Retraction retraction, INDArray w, double t, INDArray tangent) {
    INDArray next = retraction.retract(w, t, tangent, room);
    double squares = Matrices.squaredNorm(next);
    double deviation = Math.abs(squares / next.columns() - 1);
    if (!(deviation <= NumericPolicy.FAILED_RETRACTION)) {
      throw new ArithmeticException("‖W‖² is " + squares + ", expected " + next.columns());
    }
    return next;
  }

  @Override
  public double squaredNorm(INDArray a) {
    return Matrices.squaredNorm(a);
  }

  @Override
  public double[] read(INDArray vector, long from, int count) {
    double[] numbers = new double[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = vector.getDouble(from + i);
    }
    return numbers;
  }

  @Override
  public void write(INDArray vector, long from, double... numbers) {
    for (int i = 0; i < numbers.length; i++) {
      vector.putScalar(from + i, numbers[i]);
    }
  }
}
