/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.Tridiagonal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Ridge regression of centred targets Y on centred examples X for any penalty, after {@link
 * Tridiagonal one decomposition} QTQᵀ of the smaller of XᵀX and XXᵀ.
 *
 * <p>With {@code M = XQ} for XᵀX, the residuals are {@code Y − M(T + λI)⁻¹MᵀY}; with {@code M = Q}
 * for XXᵀ they are {@code λ M(T + λI)⁻¹MᵀY}. The matrix that makes them of Y has the entries that
 * {@link LeftOutGroups} needs. XQ is never there as a whole, only a block of its rows.
 */
final class RidgeEquations implements AutoCloseable {

  private static final int ROWS = 1024;

  /** Is given what a regression answers to examples. */
  interface AnswerReader {
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
  private final INDArray basis;
  private final Tridiagonal reduced;
  private final double[] rotated;

  /**
   * Decomposes.
   *
   * @param examples the examples
   * @param targets [N, k], each column with mean 0, DOUBLE
   * @throws NotFiniteException if the examples are not finite
   */
  RidgeEquations(RidgeSums examples, INDArray targets) {
    this.examples = examples;
    this.targets = targets;
    this.basis = examples.matrix(targets);
    this.reduced = Tridiagonal.overwriteByBasis(basis);
    INDArray right = examples.ofColumns() ? examples.withTargets() : targets;
    INDArray product = Matrices.product(basis.transpose(), right); // Qᵀ lies in C order
    this.rotated = Matrices.doubles(product);
    product.close();
    examples.tell(examples.count());
  }

  /** The mean squared distance of an example from their mean, above zero. */
  double meanEigenvalue() {
    return Math.max(reduced.trace() / examples.count(), NumericPolicy.RIDGE_FLOOR);
  }

  /** Smaller penalties than this would be lost in what is rounded. */
  double smallestPenalty() {
    return reduced.smallestShift();
  }

  /** M, block by block. */
  private void factors(RidgeSums.Reader reader) {
    if (examples.ofColumns()) {
      INDArray ofMean = timesBasis(examples.rest());
      examples.forEach(
          (first, block) -> {
            INDArray exact = block.castTo(DataType.DOUBLE);
            INDArray factors = timesBasis(exact).subiRowVector(ofMean);
            reader.read(first, factors);
            factors.close();
            if (exact != block) {
              exact.close();
            }
          });
      return;
    }
    for (int first = 0; first < examples.count(); first += ROWS) {
      INDArray factors = rows(basis, first, Math.min(examples.count(), first + ROWS));
      reader.read(first, factors);
      factors.close();
    }
  }

  private INDArray timesBasis(INDArray rows) {
    return Matrices.transposeSecond(rows, basis.transpose());
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

  /** {@code (T + λI)⁻¹} times what the targets are in terms of the basis, row by row. */
  private INDArray solution(Tridiagonal.Shifted shifted) {
    double[] rows = rotated.clone();
    shifted.solve(rows);
    return Nd4j.createFromArray(rows);
  }

  private INDArray asMatrix(INDArray solution) {
    return solution.reshape(basis.rows(), targets.columns());
  }

  /** The residuals of some examples, row by row, their own targets given. */
  private double[] residuals(
      INDArray factors, INDArray own, double penalty, Tridiagonal.Shifted shifted) {
    INDArray solution = solution(shifted);
    INDArray products = Matrices.product(factors, asMatrix(solution));
    double[] rows =
        Matrices.doubles(examples.ofColumns() ? products.rsubi(own) : products.muli(penalty));
    Matrices.closeAll(solution, products);
    return rows;
  }

  /**
   * The answers to each example of a fit to all but its group, minus the mean of the targets.
   *
   * @param groups the group of each example; those of a group stand next to one another
   */
  void leaveOut(int[] groups, double[] penalties, AnswerReader reader) {
    Tridiagonal.Shifted[] shifted =
        Arrays.stream(penalties).mapToObj(reduced::plus).toArray(Tridiagonal.Shifted[]::new);
    LeftOutGroups leftOut =
        new LeftOutGroups(examples.ofColumns(), penalties, shifted, 1.0 / examples.count());
    wholeGroups(
        groups,
        (first, factors) -> {
          int end = first + factors.rows();
          INDArray own = rows(targets, first, end);
          double[][] residuals = new double[penalties.length][];
          for (int i = 0; i < penalties.length; i++) {
            residuals[i] = residuals(factors, own, penalties[i], shifted[i]);
          }
          leftOut.leaveOut(factors, Arrays.copyOfRange(groups, first, end), residuals);
          for (int i = 0; i < penalties.length; i++) {
            INDArray rows = Nd4j.createFromArray(residuals[i]); // what a view of it cannot close
            reader.take(i, first, rows.reshape(own.shape()).rsubi(own));
            rows.close();
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
    INDArray solution = solution(reduced.plus(penalty));
    INDArray ofType =
        Matrices.transposeFirst(basis.transpose(), asMatrix(solution)).castTo(examples.type());
    return examples.ofColumns() ? ofType : examples.combined(ofType);
  }

  /** The mean of the examples, [1, d], DOUBLE. */
  INDArray mean() {
    return examples.mean();
  }

  @Override
  public void close() {
    basis.close();
  }
}
