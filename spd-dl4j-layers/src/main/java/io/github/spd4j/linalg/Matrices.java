/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.host.HostFloats;
import io.github.spd4j.backend.host.HostMatrix;
import io.github.spd4j.backend.host.Squares;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.INDArrayIndex;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Products and parts of matrices, and of stacks of matrices [N, rows, columns].
 *
 * <p>No method changes its arguments, unless it says so.
 */
public final class Matrices {

  private Matrices() {}

  /**
   * The product of two matrices, or of the matrices of two stacks one by one.
   *
   * @param a [m, k] or [N, m, k]
   * @param b [k, n] or [N, k, n]
   * @return [m, n] or [N, m, n]
   */
  public static INDArray product(INDArray a, INDArray b) {
    return product(a, false, b, false);
  }

  /**
   * {@code aᵀ b}, for matrices or for stacks.
   *
   * @param a [k, m] or [N, k, m]
   * @param b [k, n] or [N, k, n]
   * @return [m, n] or [N, m, n]
   */
  public static INDArray transposeFirst(INDArray a, INDArray b) {
    return product(a, true, b, false);
  }

  /**
   * {@code a bᵀ}, for matrices or for stacks.
   *
   * @param a [m, k] or [N, m, k]
   * @param b [n, k] or [N, n, k]
   * @return [m, n] or [N, m, n]
   */
  public static INDArray transposeSecond(INDArray a, INDArray b) {
    return product(a, false, b, true);
  }

  private static INDArray product(INDArray a, boolean transposeA, INDArray b, boolean transposeB) {
    if (areHostMatrices(a, b)) {
      HostMatrix.Factor left = factor(a, transposeA);
      HostMatrix.Factor right = factor(b, transposeB);
      long[] shape = {a.size(transposeA ? 1 : 0), b.size(transposeB ? 0 : 1)};
      INDArray result = Nd4j.createUninitialized(a.dataType(), shape, 'c');
      HostMatrix.of(result).setProduct(1, left, right, 0);
      return result;
    }
    if (Algebra.ofBackend().isEmpty() || !areStacks(a, b)) {
      return Nd4j.matmul(a, b, transposeA, transposeB, false);
    }
    MatrixStack left = transposeA ? MatrixStack.of(a).transpose() : MatrixStack.of(a);
    MatrixStack right = transposeB ? MatrixStack.of(b).transpose() : MatrixStack.of(b);
    long[] shape = a.shape().clone();
    shape[a.rank() - 2] = left.rows();
    shape[a.rank() - 1] = right.columns();
    INDArray result = Nd4j.createUninitialized(a.dataType(), shape, 'c');
    int count = a.rank() == 2 ? 1 : Math.toIntExact(a.size(0));
    Algebra.ofBackend().get().multiply(1, left, right, 0, MatrixStack.of(result), count);
    return result;
  }

  /**
   * {@code C + α A B}.
   *
   * @param c C [m, n]
   * @param alpha α
   * @param a A [m, k]
   * @param b B [k, n]
   * @return a new array
   */
  public static INDArray plusProduct(INDArray c, double alpha, INDArray a, INDArray b) {
    return addProduct(c.dup('c'), alpha, a, b);
  }

  /**
   * {@code C ← C + α A B}.
   *
   * @param c C [m, n] in C order, changed by this method
   * @param alpha α
   * @param a A [m, k], another array
   * @param b B [k, n], another array
   * @return C
   */
  public static INDArray addProduct(INDArray c, double alpha, INDArray a, INDArray b) {
    if (areHostMatrices(a, b) && areHostMatrices(c, b)) {
      HostMatrix.of(c).setProduct((float) alpha, factor(a, false), factor(b, false), 1);
      return c;
    }
    if (Algebra.ofBackend().isEmpty() || !areStacks(a, b)) {
      return c.addi(product(a, b).muli(alpha));
    }
    Algebra.ofBackend()
        .get()
        .multiply(alpha, MatrixStack.of(a), MatrixStack.of(b), 1, MatrixStack.of(c), 1);
    return c;
  }

  /**
   * {@code C ← C + α A}.
   *
   * @param c C [m, n] in C order, changed by this method
   * @param alpha α
   * @param a A [m, n], another array
   * @return C
   */
  public static INDArray addMultiple(INDArray c, double alpha, INDArray a) {
    if (areHostMatrices(c, a)) {
      HostMatrix.of(c).add((float) alpha, HostMatrix.of(a));
      return c;
    }
    return c.addi(a.mul(alpha));
  }

  /**
   * {@code ‖A‖_F²}, summed in double precision.
   *
   * @param a any array
   * @return the sum of the squares, which is not finite if one of the numbers is not
   */
  public static double squaredNorm(INDArray a) {
    if (isInHostOrder(a)) {
      return new HostFloats(a).sumOfSquares(0, a.length());
    }
    double norm = a.castTo(DataType.DOUBLE).norm2Number().doubleValue();
    return norm * norm;
  }

  /**
   * Whether all numbers are finite; a few near overflow, whose squares are not, may count as
   * infinite.
   *
   * @param a any array
   * @return false if there is a NaN or an infinity
   */
  public static boolean isFinite(INDArray a) {
    return Double.isFinite(isInHostOrder(a) ? squaredNorm(a) : a.norm2Number().doubleValue());
  }

  private static boolean isInHostOrder(INDArray a) {
    return HostFloats.isPossible(a) && MatrixStack.isInOrder(a);
  }

  /** Whether BLAS can take them as they are, in FLOAT on the CPU: ND4J's way there is longer. */
  private static boolean areHostMatrices(INDArray a, INDArray b) {
    return a.rank() == 2 && HostFloats.isPossible(a) && areStacks(a, b);
  }

  private static HostMatrix.Factor factor(INDArray a, boolean transposed) {
    return transposed ? HostMatrix.of(a).transposed() : HostMatrix.of(a).plain();
  }

  private static boolean areStacks(INDArray a, INDArray b) {
    return a.rank() == b.rank()
        && a.dataType() == b.dataType()
        && MatrixStack.isInOrder(a)
        && MatrixStack.isInOrder(b);
  }

  /**
   * The transpose of a matrix, or of each matrix of a stack, as a view.
   *
   * @param a [m, n] or [N, m, n]
   * @return a view of a, [n, m] or [N, n, m]
   */
  public static INDArray transpose(INDArray a) {
    return a.rank() == 2 ? a.permute(1, 0) : a.permute(0, 2, 1);
  }

  /**
   * The symmetric part {@code (A + Aᵀ) / 2} of a square matrix, or of each matrix of a stack.
   *
   * @param a [n, n] or [N, n, n]
   * @return a new array of the same shape
   */
  public static INDArray symmetricPart(INDArray a) {
    if (areHostMatrices(a, a)) {
      float[] numbers = new float[Math.toIntExact(a.length())];
      HostMatrix.of(a).read(numbers);
      Squares.addTransposed(numbers, a.rows(), 0.5f);
      INDArray result = Nd4j.createUninitialized(a.dataType(), a.shape(), 'c');
      HostMatrix.of(result).write(numbers);
      return result;
    }
    return a.add(transpose(a)).muli(0.5);
  }

  /**
   * {@code ‖QᵀQ − I‖_F}: how far the columns of a matrix are from orthonormal, computed in double
   * precision whatever the type of the argument.
   *
   * @param q [n, p]
   * @return the distance; NaN if q has one
   */
  public static double orthonormalityError(INDArray q) {
    INDArray exact = q.castTo(DataType.DOUBLE);
    return gramMinusIdentity(exact).norm2Number().doubleValue();
  }

  public static INDArray gramMinusIdentity(INDArray q) {
    INDArray product = transposeFirst(q, q);
    INDArray gram = MatrixStack.inOrder(product);
    diagonal(gram).subi(1);
    return gram;
  }

  /**
   * The diagonal of a square matrix as a view.
   *
   * @param a [n, n] in C order
   * @return n elements
   */
  public static INDArray diagonal(INDArray a) {
    long n = a.size(0);
    INDArrayIndex along = NDArrayIndex.interval(0, Math.min(n + 1, n * n), n * n);
    return a.reshape(n * n).get(along);
  }
}
