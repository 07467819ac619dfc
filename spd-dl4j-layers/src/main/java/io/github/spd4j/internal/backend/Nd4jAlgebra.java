/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;
import static org.nd4j.linalg.indexing.NDArrayIndex.point;

import io.github.spd4j.internal.backend.host.HostEigen;
import java.util.Arrays;
import java.util.function.Supplier;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.BooleanIndexing;
import org.nd4j.linalg.indexing.INDArrayIndex;
import org.nd4j.linalg.indexing.conditions.Conditions;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * The algebra by ND4J's own operations, on any of its backends; eigenvalues by the host's LAPACK.
 */
public class Nd4jAlgebra implements Algebra {

  /** The algebra, which has no state. */
  public Nd4jAlgebra() {}

  @Override
  public boolean isForBackend() {
    return true;
  }

  @Override
  public boolean isOnDevice() {
    return Nd4j.getExecutioner().type() == ExecutionerType.CUDA;
  }

  @Override
  public void multiply(
      double alpha, MatrixStack a, MatrixStack b, double beta, MatrixStack c, int count) {
    if (count > 1 && a.isWholeStack() && b.isWholeStack() && c.isWholeStack()) {
      INDArray product =
          Nd4j.matmul(a.array(), b.array(), a.isTransposed(), b.isTransposed(), false);
      update(c.array(), alpha, product, beta);
      return;
    }
    for (int i = 0; i < count; i++) {
      update(c.matrix(i), alpha, a.matrix(i).mmul(b.matrix(i)), beta);
    }
  }

  /** {@code C ← α P + β C}; P is overwritten. */
  private static void update(INDArray c, double alpha, INDArray product, double beta) {
    if (alpha != 1) {
      product.muli(alpha);
    }
    if (beta == 0) {
      c.assign(product);
    } else {
      c.muli(beta).addi(product);
    }
  }

  @Override
  public void add(double alpha, INDArray a, INDArray c) {
    c.addi(a.mul(alpha));
  }

  @Override
  public void scaleRows(INDArray matrix, INDArray factors, INDArray products) {
    matrix.mul(factors.reshape(matrix.size(0), 1), products);
  }

  @Override
  public void scaleColumns(INDArray matrix, INDArray factors, INDArray products) {
    matrix.mul(factors.reshape(1, matrix.size(1)), products);
  }

  @Override
  public void copy(INDArray source, long from, INDArray target, long to, int step, int count) {
    INDArray numbers = source.reshape(source.length()).get(interval(from, from + count));
    long end = to + (count - 1L) * step + 1;
    target.reshape(target.length()).get(interval(to, step, end)).assign(numbers);
  }

  @Override
  public void copy(INDArray source, INDArray target) {
    target.assign(source);
  }

  @Override
  public void packTriangles(INDArray matrices, INDArray vectors) {
    long n = matrices.size(2);
    long k = 0;
    for (long i = 0; i < n; i++) {
      INDArray row = matrices.get(all(), point(i), interval(i, n));
      vectors.get(all(), interval(k, k + n - i)).assign(row);
      k += n - i;
    }
  }

  @Override
  public void unpackSymmetric(INDArray vectors, INDArray matrices) {
    long n = matrices.size(2);
    long k = 0;
    for (long i = 0; i < n; i++) {
      INDArray row = vectors.get(all(), interval(k, k + n - i));
      matrices.get(all(), point(i), interval(i, n)).assign(row);
      matrices.get(all(), interval(i, n), point(i)).assign(row);
      k += n - i;
    }
  }

  @Override
  public void addTransposed(INDArray matrices, double alpha, INDArray sums) {
    sums.assign(matrices.add(matrices.permute(0, 2, 1)).muli(alpha));
  }

  @Override
  public void squaredDistances(INDArray gram, double kept, INDArray norms, INDArray sums) {
    long images = gram.size(0);
    long n = gram.size(1);
    norms.assign(MatrixStack.diagonals(gram));
    INDArray squares = norms.mul(kept);
    gram.muli(-2).addi(squares.reshape(images, n, 1)).addi(squares.reshape(images, 1, n));
    Transforms.relu(gram, false);
    sums.assign(Transforms.sqrt(gram, true).sum(true, 2).reshape(images, n));
  }

  @Override
  public void exponentials(INDArray matrices, INDArray factors) {
    matrices.muli(factors.reshape(matrices.size(0), 1, 1));
    Transforms.exp(matrices, false);
  }

  @Override
  public void signedRoots(INDArray vectors, INDArray weights, double floor, INDArray roots) {
    scaleColumns(vectors, weights, vectors);
    roots.assign(Transforms.abs(vectors, true).addi(floor * floor));
    Transforms.sqrt(roots, false);
    vectors.divi(roots.add(floor));
  }

  /** Summed in three dimensions: ND4J fails on a [N, 1] whose rows are to be summed. */
  @Override
  public void rowProducts(double alpha, INDArray a, INDArray b, INDArray products) {
    INDArray entries = a.mul(b).reshape(a.size(0), 1, a.size(1));
    products.assign(entries.sum(true, 2).muli(alpha).reshape(products.shape()));
  }

  @Override
  public void inverseRoots(INDArray numbers, double factor, double bound) {
    forgetSmall(numbers, bound);
    Transforms.sqrt(numbers, false).rdivi(factor);
  }

  @Override
  public void inverseSquares(INDArray numbers, double factor, double bound) {
    forgetSmall(numbers, bound);
    numbers.rdivi(1).muli(numbers).muli(factor);
  }

  /** What is divided by infinity is 0. */
  private static void forgetSmall(INDArray numbers, double bound) {
    BooleanIndexing.replaceWhere(
        numbers, Double.POSITIVE_INFINITY, Conditions.lessThanOrEqual(bound));
  }

  @Override
  public void eigen(INDArray matrices, INDArray values, INDArray vectors) {
    HostEigen.decompose(matrices, values, vectors);
  }

  @Override
  public void normalize(INDArray maps, LocalResponse response, INDArray output) {
    INDArray scales = Transforms.pow(sums(maps, response), -response.beta());
    output.assign(maps.mul(scales));
  }

  @Override
  public void normalizeGradient(
      INDArray maps, INDArray delta, LocalResponse response, INDArray gradient) {
    INDArray sums = sums(maps, response);
    INDArray scales = Transforms.pow(sums, -response.beta());
    INDArray shares = overNeighbours(delta.mul(maps).muli(scales).divi(sums), response.reach());
    gradient.assign(delta.mul(scales));
    gradient.subi(shares.muli(maps).muli(2 * response.alpha() * response.beta()));
  }

  /** s. */
  private static INDArray sums(INDArray maps, LocalResponse response) {
    INDArray squares = overNeighbours(maps.mul(maps), response.reach());
    return squares.muli(response.alpha()).addi(response.k());
  }

  private static INDArray overNeighbours(INDArray numbers, int reach) {
    INDArray result = numbers.dup('c');
    long channels = numbers.size(1);
    INDArray maps = numbers.reshape(numbers.size(0), channels, -1);
    INDArray sums = result.reshape(numbers.size(0), channels, -1);
    for (long step = 1; step <= Math.min(reach, channels - 1); step++) {
      INDArrayIndex first = interval(0, channels - step);
      INDArrayIndex last = interval(step, channels);
      sums.get(all(), last, all()).addi(maps.get(all(), first, all()));
      sums.get(all(), first, all()).addi(maps.get(all(), last, all()));
    }
    return result;
  }

  @Override
  public Supplier<double[]> squares(INDArray numbers, long step) {
    double[] sum = {sumOfSquares(numbers, step)};
    return () -> sum;
  }

  /** The sum of the squares of each number, or of some at equal steps. */
  double sumOfSquares(INDArray numbers, long step) {
    INDArray all = numbers.reshape(numbers.length());
    INDArray some = step == 1 ? all : all.get(every(step, all.length()));
    // ND4J adds up in the type of the array; in FLOAT that is good to four digits.
    double norm = some.castTo(DataType.DOUBLE).norm2Number().doubleValue();
    return norm * norm;
  }

  @Override
  public Supplier<double[]> asymmetries(INDArray matrices, long step) {
    int n = Math.toIntExact((matrices.size(2) + step - 1) / step);
    double[] numbers = sample(matrices, Math.toIntExact(step));
    double[] shares = new double[Math.toIntExact(matrices.size(0))];
    Arrays.setAll(shares, k -> asymmetry(numbers, k * n * n, n));
    return () -> shares;
  }

  /** The entries where every so many rows and columns meet. */
  double[] sample(INDArray matrices, int step) {
    INDArrayIndex some = every(step, matrices.size(2));
    return matrices.get(all(), some, some).dup('c').data().asDouble();
  }

  /** ND4J refuses steps that are longer than the whole. */
  private static INDArrayIndex every(long step, long size) {
    return interval(0, Math.min(step, size), size);
  }

  private static double asymmetry(double[] numbers, int start, int n) {
    double largest = 0;
    double difference = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        double above = numbers[start + i * n + j];
        double below = numbers[start + j * n + i];
        largest = largerOf(largest, Math.abs(above));
        difference = largerOf(difference, Math.abs(above - below));
      }
    }
    return difference == 0 ? 0 : difference / largest;
  }

  /** The larger of a number and one that may be none. */
  private static double largerOf(double number, double other) {
    return other > number && other < Double.POSITIVE_INFINITY ? other : number;
  }
}
