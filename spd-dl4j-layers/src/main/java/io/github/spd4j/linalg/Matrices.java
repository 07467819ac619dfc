/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.backend.host.FloatMatrices;
import io.github.spd4j.internal.backend.host.HostDoubles;
import io.github.spd4j.internal.backend.host.HostFloats;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.INDArrayIndex;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Products and parts of matrices, and of stacks of matrices [N, rows, columns].
 *
 * <p>No method changes its arguments, unless it says so. Arguments of another type or shape are
 * refused by name. NaN and infinity are not looked for: they are in the result.
 */
public final class Matrices {

  /** As many numbers as are added up in single precision. */
  private static final int COLUMNS = 4096;

  private Matrices() {}

  /**
   * All numbers of an array on any device, row by row.
   *
   * @param array any array, of at most 2³¹ − 1 bytes as FLOAT
   * @return a copy, faster than by one number at a time
   */
  public static float[] floats(INDArray array) {
    if (Objects.requireNonNull(array, "array").isEmpty()) {
      return new float[0];
    }
    INDArray inOrder = MatrixStack.inOrder(array.castTo(DataType.FLOAT));
    float[] numbers = new float[Math.toIntExact(inOrder.length())];
    if (HostFloats.isPossible(inOrder)) {
      new HostFloats(inOrder).read(0, numbers, numbers.length);
    } else {
      INDArray copy = inOrder.dup('c'); // begins where its memory does
      copy.data().asNioFloat().get(numbers);
      Reference.reachabilityFence(copy); // its memory is given back with it
    }
    return numbers;
  }

  /**
   * The same in double precision.
   *
   * @param array any array, of at most 2³¹ − 1 numbers
   * @return a copy
   */
  public static double[] doubles(INDArray array) {
    Objects.requireNonNull(array, "array");
    return array.isEmpty() ? new double[0] : HostDoubles.of(array);
  }

  /**
   * The product of two matrices, or of the matrices of two stacks one by one. One matrix goes with
   * every matrix of a stack.
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

  /**
   * {@code a bᵀ} of long rows: products of a part of the columns in the type of the arguments,
   * which are added up in double precision.
   *
   * @param a [m, k]
   * @param b [n, k]
   * @return [m, n], DOUBLE
   */
  public static INDArray transposeSecondInParts(INDArray a, INDArray b) {
    MatrixStack left = stack(Arguments.matrix(a, "a"), false);
    MatrixStack right = stack(Arguments.matrix(b, "b"), false);
    requireProduct("b", a.dataType(), left.columns(), b, right.columns());
    INDArray sum = Nd4j.create(DataType.DOUBLE, new long[] {left.rows(), right.rows()}, 'c');
    for (int from = 0; from < left.columns(); from += COLUMNS) {
      int to = Math.min(from + COLUMNS, left.columns());
      INDArray part = Nd4j.createUninitialized(a.dataType(), sum.shape(), 'c');
      multiply(1, left.columns(from, to), right.columns(from, to).transpose(), 0, part);
      INDArray exact = part.castTo(DataType.DOUBLE);
      sum.addi(exact);
      closeAll(part, exact);
    }
    return sum;
  }

  /**
   * Gives the memory of arrays back at once: the garbage collector does not see how large they are.
   *
   * @param arrays arrays that are not used any more, the same one more than once if need be
   */
  public static void closeAll(INDArray... arrays) {
    for (INDArray array : Objects.requireNonNull(arrays, "arrays")) {
      if (Objects.requireNonNull(array, "arrays").closeable()) {
        array.close();
      }
    }
  }

  private static INDArray product(INDArray a, boolean transposeA, INDArray b, boolean transposeB) {
    MatrixStack left = stack(Arguments.matrices(a, "a"), transposeA);
    MatrixStack right = stack(Arguments.matrices(b, "b"), transposeB);
    requireProduct("b", a.dataType(), left.columns(), b, right.rows());
    boolean stacks = a.rank() == 3 && b.rank() == 3;
    if (stacks && a.size(0) != b.size(0)) {
      throw Arguments.refused("b", a.size(0) + " matrices as in a", b.size(0));
    }
    long[] shape = (b.rank() == 3 ? b : a).shape().clone();
    shape[shape.length - 2] = left.rows();
    shape[shape.length - 1] = right.columns();
    INDArray result = Nd4j.createUninitialized(a.dataType(), shape, 'c');
    multiply(1, left, right, 0, result);
    return result;
  }

  /** Native code would read what is beyond the end of an array. */
  private static void requireProduct(
      String name, DataType type, int length, INDArray array, int arrayLength) {
    if (array.dataType() != type || length != arrayLength) {
      throw Arguments.refused(
          name,
          "type " + type + " and the length " + length + " of the side to be summed over",
          array.dataType() + " of shape " + Arrays.toString(array.shape()));
    }
  }

  private static MatrixStack stack(INDArray a, boolean transposed) {
    MatrixStack stack = MatrixStack.of(MatrixStack.inOrder(a));
    return transposed ? stack.transpose() : stack;
  }

  private static void multiply(
      double alpha, MatrixStack a, MatrixStack b, double beta, INDArray c) {
    int count = c.rank() == 2 ? 1 : Math.toIntExact(c.size(0));
    Backend.current().algebra().multiply(alpha, a, b, beta, MatrixStack.of(c), count);
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
    return addProduct(Arguments.matrix(c, "c").dup('c'), alpha, a, b);
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
  static INDArray addProduct(INDArray c, double alpha, INDArray a, INDArray b) {
    Arguments.finite(alpha, "alpha");
    requireProduct("a", c.dataType(), (int) c.size(0), Arguments.matrix(a, "a"), a.rows());
    requireProduct("b", c.dataType(), a.columns(), Arguments.matrix(b, "b"), b.rows());
    if (b.size(1) != c.size(1)) {
      throw Arguments.refused("b", c.size(1) + " columns as c", b.size(1));
    }
    multiply(alpha, stack(a, false), stack(b, false), 1, c);
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
    Arguments.numbers(c, "c");
    Arguments.finite(alpha, "alpha");
    Arguments.shaped(a, "a", c);
    if (!MatrixStack.isInOrder(c)) {
      throw Arguments.refused("c", "C order", "a view with gaps or in another order");
    }
    Backend.current().algebra().add(alpha, MatrixStack.inOrder(a), c);
    return c;
  }

  /**
   * {@code ‖A‖_F²}, summed in double precision.
   *
   * @param a any array
   * @return the sum of the squares, which is not finite if one of the numbers is not
   */
  static double squaredNorm(INDArray a) {
    if (isFusedInOrder(a)) {
      return new HostFloats(a).sumOfSquares(0, a.length());
    }
    double norm = a.castTo(DataType.DOUBLE).norm2Number().doubleValue();
    return norm * norm;
  }

  /**
   * Whether all numbers are finite.
   *
   * @param a any array
   * @return false if there is a NaN or an infinity
   */
  public static boolean isFinite(INDArray a) {
    Objects.requireNonNull(a, "a");
    if (!a.dataType().isFPType() || a.isEmpty()) {
      return true; // whole numbers, or none
    }
    double norm = isFusedInOrder(a) ? squaredNorm(a) : a.norm2Number().doubleValue();
    // Squares may overflow; x − x is 0 if x is finite.
    return Double.isFinite(norm) || a.sub(a).sumNumber().doubleValue() == 0;
  }

  /**
   * Refuses NaN and infinity.
   *
   * @param a any array
   * @param name what the array is called in the message
   * @return the array
   * @throws NotFiniteException if there is NaN or infinity in the array
   */
  public static INDArray requireFinite(INDArray a, String name) {
    Objects.requireNonNull(name, "name");
    if (!isFinite(a)) {
      throw notFinite(name);
    }
    return a;
  }

  static NotFiniteException notFinite(String name) {
    return new NotFiniteException(name + ": expected a finite matrix, got NaN or infinity in it");
  }

  private static boolean isFusedInOrder(INDArray a) {
    return Backend.current().isFused(a.dataType()) && MatrixStack.isInOrder(a);
  }

  /**
   * The transpose of a matrix, or of each matrix of a stack, as a view.
   *
   * @param a [m, n] or [N, m, n]
   * @return a view of a, [n, m] or [N, n, m]
   */
  public static INDArray transpose(INDArray a) {
    Objects.requireNonNull(a, "a");
    if (a.rank() != 2 && a.rank() != 3) {
      throw Arguments.refused("a", "a matrix or a stack of matrices", a.rank() + " dimensions");
    }
    return a.rank() == 2 ? a.permute(1, 0) : a.permute(0, 2, 1);
  }

  /**
   * The symmetric part {@code (A + Aᵀ) / 2} of a square matrix, or of each matrix of a stack.
   *
   * @param a [n, n] or [N, n, n]
   * @return a new array of the same shape
   */
  public static INDArray symmetricPart(INDArray a) {
    Arguments.squares(a, "a");
    INDArray result = Nd4j.createUninitialized(a.dataType(), a.shape(), 'c');
    Backend.current()
        .algebra()
        .addTransposed(stacked(MatrixStack.inOrder(a)), 0.5, stacked(result));
    return result;
  }

  /** [N, n, n]: a stack as it is, since for a view ND4J pins memory of the host on a GPU. */
  static INDArray stacked(INDArray a) {
    return a.rank() == 3 ? a : a.reshape(-1, a.size(-1), a.size(-1));
  }

  /**
   * {@code ‖QᵀQ − I‖_F}: how far the columns of a matrix are from orthonormal, computed in double
   * precision whatever the type of the argument.
   *
   * @param q [n, p], or [N, n, p] for the largest distance of a stack
   * @return the distance; NaN if q has one
   */
  public static double orthonormalityError(INDArray q) {
    return largest(
        Arguments.matrices(q, "q"),
        matrix -> {
          INDArray exact = matrix.castTo(DataType.DOUBLE);
          return gramMinusIdentity(exact).norm2Number().doubleValue();
        });
  }

  /**
   * An estimate of {@link #orthonormalityError} by 4np operations instead of 2np²: {@code ‖Qᵀ(Qx) −
   * x‖} for one fixed x whose entries have random signs and are about 1. The mean of its square
   * over such x is about the square of the error.
   *
   * @param q [n, p], or [N, n, p] for the largest of a stack
   * @return the estimate; not finite if a number of q is not
   */
  public static double estimatedOrthonormalityError(INDArray q) {
    return largest(Arguments.matrices(q, "q"), Matrices::estimatedError);
  }

  /** NaN if there is one. */
  private static double largest(INDArray matrices, ToDoubleFunction<INDArray> number) {
    if (matrices.rank() == 2) {
      return number.applyAsDouble(matrices);
    }
    return LongStream.range(0, matrices.size(0))
        .mapToDouble(i -> number.applyAsDouble(matrices.slice(i)))
        .reduce(0, Math::max);
  }

  private static double estimatedError(INDArray q) {
    if (isFusedInOrder(q)) {
      return estimatedError(new HostFloats(q), q.rows(), probe(q.columns()));
    }
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      INDArray column = probe(q.dataType(), q.columns());
      return transposeFirst(q, q.mmul(column)).subi(column).norm2Number().doubleValue();
    }
  }

  /**
   * The vector that {@link #estimatedOrthonormalityError} multiplies a matrix by.
   *
   * @param type FLOAT or DOUBLE
   * @param length its length p
   * @return a new array [p, 1] outside of workspaces, always the same
   */
  public static INDArray probe(DataType type, int length) {
    Arguments.type(type, "type");
    Arguments.atLeast(length, 1, "length");
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      return Nd4j.createFromArray(probe(length)).castTo(type).reshape(length, 1);
    }
  }

  private static double estimatedError(HostFloats q, int rows, double[] x) {
    float[] factors = new float[x.length];
    double[] difference = new double[x.length];
    for (int j = 0; j < x.length; j++) {
      factors[j] = (float) x[j];
      difference[j] = -factors[j];
    }
    float[] row = new float[x.length];
    for (int i = 0; i < rows; i++) {
      q.read((long) i * row.length, row, row.length);
      double product = FloatMatrices.dot(row, factors, 0, row.length);
      for (int j = 0; j < row.length; j++) {
        difference[j] += product * row[j];
      }
    }
    return Math.sqrt(Arrays.stream(difference).map(d -> d * d).sum());
  }

  private static double[] probe(int length) {
    Random random = new Random(length);
    double[] x = new double[length];
    Arrays.setAll(x, i -> (random.nextBoolean() ? 1 : -1) * (0.75 + random.nextDouble() / 2));
    return x;
  }

  /**
   * {@code QᵀQ − I}.
   *
   * @param q [n, p]
   * @return a new array [p, p]
   */
  public static INDArray gramMinusIdentity(INDArray q) {
    Arguments.matrix(q, "q");
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
  static INDArray diagonal(INDArray a) {
    long n = a.size(0);
    INDArrayIndex along = NDArrayIndex.interval(0, Math.min(n + 1, n * n), n * n);
    return a.reshape(n * n).get(along);
  }
}
