/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import io.github.spd4j.internal.backend.MatrixStack;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.openblas.global.openblas;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A FLOAT matrix in the host's memory, row by row, or a block of one, and products of such matrices
 * by BLAS without the way through ND4J's operations.
 */
public final class HostMatrix {

  /** Of symmetric products, this many columns are computed at once; what pays was measured. */
  private static final int PANEL = 64;

  /** The same where threads share each product: the fewer products, the less they wait. */
  private static final int SHARED_PANEL = 256;

  /** Below this many numbers, one thread transposes them sooner than several would start. */
  private static final int FEW_NUMBERS = 1 << 16;

  private final HostFloats numbers;
  private final long start;
  private final int rows;
  private final int columns;
  private final int stride;

  /**
   * A matrix anywhere in memory, which is not copied.
   *
   * @param numbers where it lies
   * @param start the place of its first entry
   * @param rows its rows
   * @param columns its columns
   * @param stride how far apart two rows are
   */
  public HostMatrix(HostFloats numbers, long start, int rows, int columns, int stride) {
    this.numbers = numbers;
    this.start = start;
    this.rows = rows;
    this.columns = columns;
    this.stride = stride;
  }

  /**
   * One matrix of a stack.
   *
   * @param numbers the stack
   * @param index which of its matrices
   * @param rows the rows of each
   * @param columns the columns of each
   * @return the matrix, which is not copied
   */
  public static HostMatrix of(HostFloats numbers, int index, int rows, int columns) {
    return new HostMatrix(numbers, (long) index * rows * columns, rows, columns, columns);
  }

  /**
   * A whole matrix.
   *
   * @param array [rows, columns], for which {@link HostFloats#isPossible} holds, {@linkplain
   *     MatrixStack#inOrder dense}
   * @return the matrix, which is not copied
   */
  public static HostMatrix of(INDArray array) {
    int rows = Math.toIntExact(array.size(0));
    return of(new HostFloats(array), 0, rows, Math.toIntExact(array.size(1)));
  }

  /**
   * Its rows.
   *
   * @return how many
   */
  public int rows() {
    return rows;
  }

  /**
   * Its columns.
   *
   * @return how many
   */
  public int columns() {
    return columns;
  }

  /**
   * All numbers of an array as one row.
   *
   * @param array an array in C order
   * @return the row, which is not copied
   */
  public static HostMatrix flat(INDArray array) {
    return of(new HostFloats(array), 0, 1, Math.toIntExact(array.length()));
  }

  /** Whether its rows follow each other without gaps. */
  boolean isDense() {
    return stride == columns;
  }

  /**
   * A part of this matrix.
   *
   * @param top its first row
   * @param bottom the row after its last
   * @param left its first column
   * @param right the column after its last
   * @return the part, which is not copied
   */
  public HostMatrix block(int top, int bottom, int left, int right) {
    long first = start + (long) top * stride + left;
    return new HostMatrix(numbers, first, bottom - top, right - left, stride);
  }

  /**
   * A smaller matrix in the memory of this one, from its start on.
   *
   * @param smallerRows its rows
   * @param smallerColumns its columns
   * @return the matrix, row by row, which is not copied
   */
  public HostMatrix start(int smallerRows, int smallerColumns) {
    return new HostMatrix(numbers, start, smallerRows, smallerColumns, smallerColumns);
  }

  /**
   * This matrix as a factor.
   *
   * @return the factor {@code A}
   */
  public Factor plain() {
    return new Factor(this, false);
  }

  /**
   * The transpose of this matrix as a factor.
   *
   * @return the factor {@code Aᵀ}
   */
  public Factor transposed() {
    return new Factor(this, true);
  }

  /**
   * Replaces this matrix T by {@code alpha · A B + beta · T}.
   *
   * @param alpha factor of the product
   * @param a A, not changed
   * @param b B, not changed
   * @param beta factor of what was there; with 0 it is not read
   */
  public void setProduct(float alpha, Factor a, Factor b, float beta) {
    if (rows == 1 && !a.transposed) {
      setRow(alpha, a.matrix, b, beta);
      return;
    }
    openblas.cblas_sgemm(
        openblas.CblasRowMajor,
        a.code(),
        b.code(),
        rows,
        columns,
        a.columns(),
        alpha,
        a.matrix.pointer(),
        a.matrix.stride,
        b.matrix.pointer(),
        b.matrix.stride,
        beta,
        pointer(),
        stride);
  }

  /** A single row, without the copies of B that a product of matrices makes. */
  private void setRow(float alpha, HostMatrix a, Factor b, float beta) {
    openblas.cblas_sgemv(
        openblas.CblasRowMajor,
        b.transposed ? openblas.CblasNoTrans : openblas.CblasTrans,
        b.matrix.rows,
        b.matrix.columns,
        alpha,
        b.matrix.pointer(),
        b.matrix.stride,
        a.pointer(),
        1,
        beta,
        pointer(),
        1);
  }

  /**
   * Replaces the upper triangle of this matrix by that of {@code alpha · A B}, a product that is
   * symmetric. What lies below the diagonal has no meaning then. It costs little more than half of
   * a product: a panel of columns at a time is computed down to the diagonal.
   *
   * @param alpha factor of the product
   * @param a A, not changed
   * @param b B, not changed
   */
  public void setUpperTriangle(float alpha, Factor a, Factor b) {
    int width = BlasThreads.count() > 1 ? SHARED_PANEL : PANEL;
    for (int left = 0; left < columns; left += width) {
      int right = Math.min(columns, left + width);
      block(0, right, left, right).setProduct(alpha, a.rows(0, right), b.columns(left, right), 0);
    }
  }

  /**
   * Replaces the upper triangle of this matrix by that of {@code alpha · A Aᵀ}. What lies below the
   * diagonal has no meaning then.
   *
   * @param alpha factor of the product
   * @param a A, not changed
   */
  public void setUpperTriangleOfSquare(float alpha, Factor a) {
    openblas.cblas_ssyrk(
        openblas.CblasRowMajor,
        openblas.CblasUpper,
        a.code(),
        rows,
        a.columns(),
        alpha,
        a.matrix.pointer(),
        a.matrix.stride,
        0,
        pointer(),
        stride);
  }

  /**
   * Adds {@code alpha · A S} to this matrix.
   *
   * @param alpha factor of the product
   * @param a A, of the same shape, not changed
   * @param s a symmetric matrix S, of which only the upper triangle is read, not changed
   */
  public void addSymmetricProduct(float alpha, HostMatrix a, HostMatrix s) {
    openblas.cblas_ssymm(
        openblas.CblasRowMajor,
        openblas.CblasRight,
        openblas.CblasUpper,
        rows,
        columns,
        alpha,
        s.pointer(),
        s.stride,
        a.pointer(),
        a.stride,
        1,
        pointer(),
        stride);
  }

  /**
   * Replaces the upper triangle of this symmetric matrix S by that of R in {@code S = RᵀR}, with a
   * positive diagonal. What lies below the diagonal is not read.
   *
   * @return false if S is not positive definite; the triangle has no meaning then
   */
  public boolean toCholeskyFactor() {
    // Column by column, the upper triangle of a matrix that lies row by row is the lower one.
    int info =
        openblas.LAPACKE_spotrf(
            openblas.LAPACK_COL_MAJOR, (byte) 'L', rows, pointer(), Math.max(1, stride));
    return info == 0;
  }

  /**
   * Replaces an upper triangle R by R⁻¹. What lies below the diagonal is neither read nor changed.
   *
   * @return false if R has no inverse; the triangle has no meaning then
   */
  public boolean invertUpperTriangle() {
    int info =
        openblas.LAPACKE_strtri(
            openblas.LAPACK_COL_MAJOR,
            (byte) 'L',
            (byte) 'N',
            rows,
            pointer(),
            Math.max(1, stride));
    return info == 0;
  }

  /**
   * Replaces this matrix T by {@code T R}.
   *
   * @param r R, an upper triangle; what lies below is not read
   */
  public void multiplyByUpperTriangle(HostMatrix r) {
    openblas.cblas_strmm(
        openblas.CblasRowMajor,
        openblas.CblasRight,
        openblas.CblasUpper,
        openblas.CblasNoTrans,
        openblas.CblasNonUnit,
        rows,
        columns,
        1,
        r.pointer(),
        r.stride,
        pointer(),
        stride);
  }

  /**
   * How far the upper triangle of this square matrix is from that of I.
   *
   * @param occurrences how often what is above the diagonal counts: 2 for a symmetric matrix
   * @return the Frobenius norm of the difference
   */
  public double distanceFromIdentity(int occurrences) {
    double squares = 0;
    for (int i = 0; i < rows; i++) {
      long onDiagonal = start + (long) i * stride + i;
      double excess = numbers.at(onDiagonal).get() - 1.0;
      squares += excess * excess;
      squares += occurrences * numbers.sumOfSquares(onDiagonal + 1, columns - i - 1);
    }
    return Math.sqrt(squares);
  }

  /**
   * Adds {@code alpha · A} to this matrix; neither is a block.
   *
   * @param alpha a factor
   * @param a A, of the same shape, not changed unless it is this matrix
   */
  public void add(float alpha, HostMatrix a) {
    openblas.cblas_saxpy(rows * columns, alpha, a.pointer(), 1, pointer(), 1);
  }

  /**
   * Replaces this matrix by another of the same shape; neither is a block.
   *
   * @param a A, not changed
   */
  public void set(HostMatrix a) {
    openblas.cblas_scopy(rows * columns, a.pointer(), 1, pointer(), 1);
  }

  /**
   * Replaces this matrix by the transpose of another; neither is a block.
   *
   * @param a A, not changed
   * @param room for all of its numbers
   * @param other as much room
   */
  public void setTransposed(HostMatrix a, float[] room, float[] other) {
    a.read(room);
    int threads = rows * columns < FEW_NUMBERS ? 1 : Workers.count();
    Workers.share(
        threads,
        rows,
        (worker, from, to) -> FloatMatrices.transpose(room, columns, rows, other, from, to));
    write(other);
  }

  /**
   * Copies the upper triangle of this square matrix to the lower one.
   *
   * @param room for all of its numbers
   */
  public void mirror(float[] room) {
    read(room);
    FloatMatrices.mirror(room, rows);
    write(room);
  }

  /**
   * Copies all numbers out of this matrix, which is no block.
   *
   * @param target where to put them, row by row
   */
  public void read(float[] target) {
    numbers.read(start, target, rows * columns);
  }

  /**
   * Copies all numbers into this matrix, which is no block.
   *
   * @param source the numbers, row by row
   */
  public void write(float[] source) {
    numbers.write(source, start, rows * columns);
  }

  private FloatPointer pointer() {
    return numbers.at(start);
  }

  /** A matrix or its transpose. */
  public static final class Factor {
    private final HostMatrix matrix;
    private final boolean transposed;

    private Factor(HostMatrix matrix, boolean transposed) {
      this.matrix = matrix;
      this.transposed = transposed;
    }

    private int code() {
      return transposed ? openblas.CblasTrans : openblas.CblasNoTrans;
    }

    int columns() {
      return transposed ? matrix.rows : matrix.columns;
    }

    Factor rows(int from, int to) {
      return transposed ? columnsOfMatrix(from, to) : rowsOfMatrix(from, to);
    }

    Factor columns(int from, int to) {
      return transposed ? rowsOfMatrix(from, to) : columnsOfMatrix(from, to);
    }

    private Factor rowsOfMatrix(int from, int to) {
      return new Factor(matrix.block(from, to, 0, matrix.columns), transposed);
    }

    private Factor columnsOfMatrix(int from, int to) {
      return new Factor(matrix.block(0, matrix.rows, from, to), transposed);
    }
  }
}
