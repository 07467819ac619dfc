/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.SymmetricEigen;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.INDArrayIndex;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * Ridge regression of centred targets Y on centred examples X for any penalty, after one
 * eigendecomposition of the smaller of XᵀX and XXᵀ.
 *
 * <p>With eigenvectors V and eigenvalues Λ, let {@code M = XV} for XᵀX and {@code M = V√Λ} for XXᵀ.
 * The fitted values are {@code M (Λ + λ)⁻¹ MᵀY} either way, and an entry of that hat matrix is
 * {@code hᵢₖ = Σⱼ Mᵢⱼ Mₖⱼ / (Λⱼ + λ)}. M is never there as a whole, only a block of its rows.
 */
final class RidgeSpectrum implements AutoCloseable {

  private static final int ROWS = 1024;

  /** Is given what a regression answers to examples. */
  interface Answers {
    /**
     * Takes the answers to a block of examples.
     *
     * @param penalty the number of the penalty
     * @param first the number of the first example
     * @param answers [n, k], DOUBLE, not to be kept
     */
    void take(int penalty, int first, INDArray answers);
  }

  private final RidgeSums examples;
  private final INDArray targets;
  private final INDArray vectors;
  private final INDArray values;
  private final INDArray rotated;

  /**
   * Decomposes.
   *
   * @param examples the examples
   * @param targets [N, k], each column with mean 0, DOUBLE
   * @throws NotFiniteException if the examples are not finite
   */
  RidgeSpectrum(RidgeSums examples, INDArray targets) {
    this.examples = examples;
    this.targets = targets;
    this.vectors = examples.matrix(targets);
    this.values =
        Transforms.max(SymmetricEigen.overwriteByVectors(vectors), 0).reshape(1, vectors.rows());
    INDArray right = examples.ofColumns() ? examples.withTargets() : targets;
    INDArray product = Matrices.product(vectors.transpose(), right); // Vᵀ lies in C order
    this.rotated =
        examples.ofColumns()
            ? product
            : product.muliColumnVector(Transforms.sqrt(values.transpose()));
    examples.tell(examples.count());
  }

  /** The mean of what the examples have in common with themselves, above zero. */
  double meanEigenvalue() {
    double mean = values.sumNumber().doubleValue() / examples.count();
    return Math.max(mean, NumericPolicy.RIDGE_FLOOR);
  }

  private INDArray inverse(double penalty) {
    return values.add(penalty).rdivi(1);
  }

  /** M, block by block. */
  private void factors(RidgeSums.Reader reader) {
    if (examples.ofColumns()) {
      INDArray ofMean = timesVectors(examples.rest());
      examples.forEach(
          (first, block) -> {
            INDArray exact = block.castTo(DataType.DOUBLE);
            INDArray factors = timesVectors(exact).subiRowVector(ofMean);
            reader.read(first, factors);
            factors.close();
            if (exact != block) {
              exact.close();
            }
          });
      return;
    }
    INDArray roots = Transforms.sqrt(values);
    for (int first = 0; first < examples.count(); first += ROWS) {
      int end = Math.min(examples.count(), first + ROWS);
      INDArray factors = rows(vectors, first, end).muliRowVector(roots);
      reader.read(first, factors);
      factors.close();
    }
  }

  private INDArray timesVectors(INDArray rows) {
    return Matrices.transposeSecond(rows, vectors.transpose());
  }

  /** A copy of some rows. */
  private static INDArray rows(INDArray matrix, int first, int end) {
    INDArray copy =
        Nd4j.createUninitialized(DataType.DOUBLE, new long[] {end - first, matrix.columns()}, 'c');
    return copy.assign(view(matrix, first, end));
  }

  private static INDArray view(INDArray matrix, int first, int end) {
    return matrix.get(NDArrayIndex.interval(first, end), NDArrayIndex.all());
  }

  private INDArray fitted(INDArray factors, INDArray inverse) {
    INDArray scaled = rotated.mulColumnVector(inverse.transpose());
    INDArray fitted = Matrices.product(factors, scaled);
    scaled.close();
    return fitted;
  }

  /**
   * The answers to each example of a fit to all but its group, minus the mean of the targets.
   *
   * @param groups the group of each example; those of a group stand next to one another
   */
  void leaveOut(int[] groups, double[] penalties, Answers reader) {
    INDArray inverses =
        Nd4j.concat(0, Arrays.stream(penalties).mapToObj(this::inverse).toArray(INDArray[]::new));
    wholeGroups(
        groups,
        (first, factors) -> {
          int end = first + factors.rows();
          INDArray own = rows(targets, first, end);
          GroupHat hat = new GroupHat(factors, inverses, Arrays.copyOfRange(groups, first, end));
          for (int i = 0; i < penalties.length; i++) {
            INDArray fitted = fitted(factors, inverses.getRow(i, true));
            double[] residuals = fitted.rsubi(own).ravel().toDoubleVector();
            hat.leaveOut(i, 1.0 / examples.count(), residuals); // what the free intercept takes
            INDArray answers = Nd4j.createFromArray(residuals).reshape(own.shape()).rsubi(own);
            reader.take(i, first, answers);
            Matrices.closeAll(fitted, answers);
          }
          own.close();
        });
  }

  /** M in blocks that end where a group does. */
  private void wholeGroups(int[] groups, RidgeSums.Reader reader) {
    List<INDArray> begun = new ArrayList<>(); // at most one: rows of a group that goes on
    factors(
        (first, block) -> {
          int end = first + block.rows();
          int start = first;
          if (!begun.isEmpty()) {
            while (start < end && groups[start] == groups[first - 1]) {
              start++;
            }
            INDArray part = begun.remove(0);
            INDArray group = Nd4j.concat(0, part, rows(block, 0, start - first));
            part.close();
            if (start == end && goesOn(groups, end)) {
              begun.add(group);
              return;
            }
            reader.read(start - group.rows(), group);
            group.close();
          }
          int whole = end;
          while (whole > start && goesOn(groups, end) && groups[whole - 1] == groups[end]) {
            whole--;
          }
          if (whole > start) {
            reader.read(start, view(block, start - first, whole - first));
          }
          if (whole < end) {
            begun.add(rows(block, whole - first, end - first));
          }
        });
  }

  private static boolean goesOn(int[] groups, int end) {
    return end < groups.length && groups[end - 1] == groups[end];
  }

  /** The weights [d, k], in the type of the examples. */
  INDArray weights(double penalty) {
    INDArray inverse = inverse(penalty);
    if (examples.ofColumns()) {
      INDArray scaled = rotated.mulColumnVector(inverse.transpose());
      return Matrices.transposeFirst(vectors.transpose(), scaled).castTo(examples.type());
    }
    INDArray dual = Nd4j.createUninitialized(DataType.DOUBLE, targets.shape(), 'c');
    factors(
        (first, factors) -> {
          int end = first + factors.rows();
          INDArray residuals = rows(targets, first, end).subi(fitted(factors, inverse));
          dual.put(
              new INDArrayIndex[] {NDArrayIndex.interval(first, end), NDArrayIndex.all()},
              residuals.divi(penalty));
        });
    return examples.combined(dual.castTo(examples.type()));
  }

  /** The mean of the examples, [1, d], DOUBLE. */
  INDArray mean() {
    return examples.mean();
  }

  @Override
  public void close() {
    vectors.close();
  }
}
