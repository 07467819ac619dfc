/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import io.github.spd4j.internal.backend.host.FloatMatrices;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.internal.backend.host.HostMatrix;
import io.github.spd4j.internal.backend.host.HostResponses;
import io.github.spd4j.internal.backend.host.SharedProduct;
import io.github.spd4j.internal.backend.host.Workers;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The algebra on a CPU: FLOAT arrays by BLAS and by loops over their memory, to which ND4J's way is
 * longer; all others by ND4J.
 */
public final class HostAlgebra extends Nd4jAlgebra {

  /** The algebra, which has no state. */
  public HostAlgebra() {}

  @Override
  public boolean isForBackend() {
    return !isOnDevice();
  }

  private static boolean isFloat(INDArray array) {
    return array.dataType() == DataType.FLOAT;
  }

  @Override
  public void multiply(
      double alpha, MatrixStack a, MatrixStack b, double beta, MatrixStack c, int count) {
    if (isFloat(c.array())) {
      multiplyFloats((float) alpha, a, b, (float) beta, c, count);
    } else {
      super.multiply(alpha, a, b, beta, c, count);
    }
  }

  private static void multiplyFloats(
      float alpha, MatrixStack a, MatrixStack b, float beta, MatrixStack c, int count) {
    HostFloats left = new HostFloats(a.array());
    HostFloats right = new HostFloats(b.array());
    HostFloats target = new HostFloats(c.array());
    HostMatrix product = matrix(target, c, 0);
    HostMatrix.Factor first = factor(left, a, 0);
    HostMatrix.Factor second = factor(right, b, 0);
    if (count == 1 && SharedProduct.isLong(first, product)) {
      try (Scratch scratch = Scratch.shared()) {
        int parts = Workers.count();
        HostFloats sums = new HostFloats(scratch.array("sums", parts, c.rows(), c.columns()));
        SharedProduct.alongTheCommonSide(alpha, first, second, beta, product, parts, sums);
      }
      return;
    }
    if (count == 1 && SharedProduct.isWide(first, product)) {
      SharedProduct.byColumns(alpha, first, second, beta, product);
      return;
    }
    Workers.shareProducts(
        count,
        (worker, from, to) -> {
          for (int i = from; i < to; i++) {
            matrix(target, c, i).setProduct(alpha, factor(left, a, i), factor(right, b, i), beta);
          }
        });
  }

  private static HostMatrix.Factor factor(HostFloats numbers, MatrixStack stack, int index) {
    HostMatrix matrix = matrix(numbers, stack, index);
    return stack.isTransposed() ? matrix.transposed() : matrix.plain();
  }

  /** A matrix as it lies in memory, not transposed. */
  private static HostMatrix matrix(HostFloats numbers, MatrixStack stack, int index) {
    long start = stack.offset() + index * stack.step();
    int rows = stack.isTransposed() ? stack.columns() : stack.rows();
    int columns = stack.isTransposed() ? stack.rows() : stack.columns();
    return new HostMatrix(numbers, start, rows, columns, stack.pitch());
  }

  @Override
  public void add(double alpha, INDArray a, INDArray c) {
    if (isFloat(c)) {
      HostMatrix.flat(c).add((float) alpha, HostMatrix.flat(a));
    } else {
      super.add(alpha, a, c);
    }
  }

  @Override
  public void addTransposed(INDArray matrices, double alpha, INDArray sums) {
    if (!isFloat(matrices)) {
      super.addTransposed(matrices, alpha, sums);
      return;
    }
    int n = Math.toIntExact(matrices.size(2));
    HostFloats from = new HostFloats(matrices);
    HostFloats to = new HostFloats(sums);
    Workers.share(
        Math.toIntExact(matrices.size(0)),
        (worker, first, end) -> {
          float[] matrix = new float[n * n];
          for (int i = first; i < end; i++) {
            from.read((long) i * n * n, matrix, n * n);
            FloatMatrices.addTransposed(matrix, n, (float) alpha);
            to.write(matrix, (long) i * n * n, n * n);
          }
        });
  }

  @Override
  public void normalize(INDArray maps, LocalResponse response, INDArray output) {
    if (isFloat(maps)) {
      loops(response).normalize(maps, output);
    } else {
      super.normalize(maps, response, output);
    }
  }

  @Override
  public void normalizeGradient(
      INDArray maps, INDArray delta, LocalResponse response, INDArray gradient) {
    if (isFloat(maps)) {
      loops(response).gradient(maps, delta, gradient);
    } else {
      super.normalizeGradient(maps, delta, response, gradient);
    }
  }

  private static HostResponses loops(LocalResponse r) {
    return new HostResponses(r.reach(), r.alpha(), r.beta(), r.k());
  }

  @Override
  double sumOfSquares(INDArray numbers, long step) {
    return step == 1 && isFloat(numbers) && MatrixStack.isInOrder(numbers)
        ? new HostFloats(numbers).sumOfSquares(0, numbers.length())
        : super.sumOfSquares(numbers, step);
  }

  @Override
  double[] sample(INDArray matrices, int step) {
    if (!isFloat(matrices) || !MatrixStack.isInOrder(matrices)) {
      return super.sample(matrices, step);
    }
    HostFloats numbers = new HostFloats(matrices);
    float[] row = new float[Math.toIntExact(matrices.size(2))];
    int n = (row.length + step - 1) / step;
    double[] sample = new double[Math.toIntExact(matrices.size(0) * n * n)];
    int done = 0;
    for (long image = 0; image < matrices.size(0); image++) {
      for (int i = 0; i < row.length; i += step) {
        numbers.read((image * row.length + i) * row.length, row, row.length);
        for (int j = 0; j < row.length; j += step) {
          sample[done++] = row[j];
        }
      }
    }
    return sample;
  }
}
