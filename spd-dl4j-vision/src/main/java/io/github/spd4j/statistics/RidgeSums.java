/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import org.bytedeco.javacpp.Pointer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.INDArrayIndex;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * The smaller of XᵀX and XXᵀ for examples X minus their mean, summed up in double precision from
 * blocks of examples.
 *
 * <p>Examples that fit into the memory they may take are read once and kept. Of more, if XXᵀ is
 * summed up, as many as fit are held while the others pass by, until each has met each. The
 * examples are read minus the mean of the first block, so that little is lost to rounding before
 * the rest of their mean is taken from the sums.
 */
final class RidgeSums implements AutoCloseable {

  /** Memory for examples, unless a process may not take four times as much. */
  private static final long MOST_BYTES = 2L << 30;

  /** What the examples of one block take of it. */
  private static final int BLOCKS = 8;

  private static final int MOST_IN_BLOCK = 1024;

  /** So many products of a block leave enough behind to collect it at once. */
  private static final long LARGE = 4L << 20;

  /** Is given block after block. */
  interface Reader {
    /**
     * Takes a block.
     *
     * @param first the number of its first example
     * @param block examples minus their shift, not to be changed or kept
     */
    void read(int first, INDArray block);
  }

  private final RidgeExamples examples;
  private final int count;
  private final long length;
  private final DataType type;
  private final long bytes;
  private final RidgeProgress progress;
  private INDArray all;
  private boolean ownsAll;
  private INDArray shift;
  private INDArray rest;
  private INDArray withTargets;
  private long done;
  private long total;

  private RidgeSums(RidgeExamples examples, int count, long bytes, RidgeProgress progress) {
    this.examples = examples;
    this.count = count;
    this.length = examples.length();
    this.type = examples.type();
    this.bytes = bytes;
    this.progress = progress;
  }

  /** Of examples that are all there and never read. */
  private RidgeSums(INDArray all) {
    this.examples = null;
    this.count = all.rows();
    this.length = all.columns();
    this.type = all.dataType();
    this.bytes = 0;
    this.progress = RidgeProgress.NONE;
    this.shift = all.mean(true, 0);
    this.all = all.subiRowVector(shift);
  }

  /** For examples that are read, within the memory there is. */
  static RidgeSums of(RidgeExamples examples, int count, RidgeProgress progress) {
    return within(mostBytes(), examples, count, progress);
  }

  /** The same within a given memory for examples. */
  static RidgeSums within(long bytes, RidgeExamples examples, int count, RidgeProgress progress) {
    RidgeSums sums = new RidgeSums(examples, count, bytes, progress);
    sums.begin();
    return sums;
  }

  /** For examples in memory, which are changed. */
  static RidgeSums of(INDArray examples) {
    return new RidgeSums(examples);
  }

  static long mostBytes() {
    long limit = Pointer.maxPhysicalBytes();
    return limit > 0 ? Math.min(MOST_BYTES, limit / 4) : MOST_BYTES;
  }

  /** Reads and keeps all examples, if there is memory for them. */
  private void begin() {
    total = 2L * count; // reading and solving
    int most = rowsWithin(bytes);
    if (most >= count) {
      all = Nd4j.createUninitialized(type, new long[] {count, length}, 'c');
      ownsAll = true;
      read(0, count, (first, block) -> rows(all, first, first + block.rows()).assign(block));
    } else if (ofColumns()) {
      total += count; // once more for the answers
    } else {
      for (long start = 0; start < count; start += most) {
        total += count - start;
      }
    }
  }

  private int rowsWithin(long most) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, most / (type.width() * length)));
  }

  /** Whether the sums are XᵀX, for fewer numbers than examples. */
  boolean ofColumns() {
    return length < count;
  }

  int count() {
    return count;
  }

  DataType type() {
    return type;
  }

  /** The mean of all examples [1, d], DOUBLE; known after the sums. */
  INDArray mean() {
    return shift.castTo(DataType.DOUBLE).addi(rest);
  }

  /** The mean of the examples minus their shift, [1, d], DOUBLE; known after the sums. */
  INDArray rest() {
    return rest;
  }

  /** Reads all examples in blocks. */
  void forEach(Reader reader) {
    forEach(0, count, reader);
  }

  private void forEach(int from, int to, Reader reader) {
    if (all == null) {
      read(from, to, reader);
      return;
    }
    for (int first = from; first < to; first += MOST_IN_BLOCK) {
      reader.read(first, rows(all, first, Math.min(to, first + MOST_IN_BLOCK)));
    }
  }

  private void read(int from, int to, Reader reader) {
    int most = Math.min(MOST_IN_BLOCK, rowsWithin(bytes / BLOCKS));
    for (int first = from; first < to; first += most) {
      INDArray block = examples.read(first, Math.min(to, first + most));
      shift = shift == null ? block.mean(true, 0) : shift;
      reader.read(first, block.subiRowVector(shift));
      tell(block.rows());
      block.close();
    }
  }

  /** So many examples more are done. */
  void tell(long examples) {
    done += examples;
    progress.examplesDone(done, total);
  }

  private static INDArray rows(INDArray matrix, long first, long end) {
    return matrix
        .get(NDArrayIndex.interval(first, end), NDArrayIndex.all())
        .reshape(end - first, matrix.columns());
  }

  /** XᵀY [d, k], DOUBLE; known after the sums, if they are XᵀX. */
  INDArray withTargets() {
    return withTargets;
  }

  /** {@code XᵀA} for A [N, k] whose columns have the mean 0. */
  INDArray combined(INDArray a) {
    INDArray sum = Nd4j.create(type, new long[] {length, a.columns()}, 'c');
    forEach(
        (first, block) -> {
          INDArray part = Matrices.transposeFirst(block, rows(a, first, first + block.rows()));
          sum.addi(part);
          part.close();
        });
    return sum;
  }

  /**
   * The sums.
   *
   * @param targets Y [N, k], each column with mean 0, DOUBLE
   * @return XᵀX [d, d] or XXᵀ [N, N], DOUBLE, in Fortran order
   * @throws NotFiniteException if the examples are not finite
   */
  INDArray matrix(INDArray targets) {
    rest = Nd4j.zeros(DataType.DOUBLE, 1, length);
    INDArray matrix = ofColumns() ? covariance(targets) : gram();
    if (!Double.isFinite(matrix.norm2Number().doubleValue())) {
      throw new NotFiniteException(
          "examples: expected finite numbers, got NaN or infinity in them");
    }
    return matrix;
  }

  /**
   * Collects garbage if there are large arrays in it: ND4J gives the memory of a closed array back
   * only when Java collects it, and Java does not see how large it is.
   */
  private void collect(int rows) {
    if (Math.min(count, length) * rows >= LARGE) {
      System.gc();
    }
  }

  private void addToMean(INDArray block) {
    INDArray mean = block.mean(true, 0);
    INDArray exact = mean.castTo(DataType.DOUBLE);
    rest.addi(exact.muli((double) block.rows() / count));
    Matrices.closeAll(mean, exact);
  }

  private INDArray covariance(INDArray targets) {
    withTargets = Nd4j.zeros(DataType.DOUBLE, length, targets.columns());
    INDArray sum = Nd4j.create(DataType.DOUBLE, new long[] {length, length}, 'f');
    forEach(
        (first, block) -> {
          addToMean(block);
          addProducts(block, 1, sum);
          collect(block.rows());
          INDArray own = rows(targets, first, first + block.rows()).castTo(type);
          INDArray ownPart = Matrices.transposeFirst(block, own);
          INDArray ownExact = ownPart.castTo(DataType.DOUBLE);
          withTargets.addi(ownExact);
          Matrices.closeAll(ownPart, ownExact);
        });
    addProducts(rest, -count, sum);
    return sum;
  }

  /** Adds {@code f XᵀX} for a block X, some columns at a time. */
  private static void addProducts(INDArray block, double factor, INDArray sum) {
    for (int first = 0; first < block.columns(); first += MOST_IN_BLOCK) {
      INDArrayIndex some =
          NDArrayIndex.interval(first, Math.min(block.columns(), first + MOST_IN_BLOCK));
      INDArray columns = block.get(NDArrayIndex.all(), some).dup('c');
      INDArray part = Matrices.transposeFirst(block, columns);
      INDArray exact = part.castTo(DataType.DOUBLE);
      sum.get(NDArrayIndex.all(), some).addi(exact.muli(factor));
      Matrices.closeAll(columns, part, exact);
    }
  }

  private INDArray gram() {
    INDArray gram = Nd4j.create(DataType.DOUBLE, new long[] {count, count}, 'f');
    int most = all == null ? rowsWithin(bytes) : count;
    for (int start = 0; start < count; start += most) {
      gramWith(start, Math.min(count, start + most), gram);
    }
    INDArray means = gram.mean(true, 0);
    double mean = means.meanNumber().doubleValue();
    gram.subiRowVector(means).subiColumnVector(means.reshape(count, 1)).addi(mean);
    return gram;
  }

  /** The products of some examples, which are held, with one another and all that come later. */
  private void gramWith(int start, int end, INDArray gram) {
    INDArray held =
        all != null ? all : Nd4j.createUninitialized(type, new long[] {end - start, length}, 'c');
    Reader reader =
        (first, block) -> {
          int met = Math.min(end, first + block.rows()) - start;
          if (first < end && all == null) {
            rows(held, first - start, met).assign(block);
          }
          if (start == 0) {
            addToMean(block);
          }
          INDArray products = Matrices.transposeSecondInParts(block, rows(held, 0, met));
          put(products, gram, first, start);
          put(products.transpose(), gram, start, first);
          products.close();
          collect(block.rows());
        };
    forEach(start, end, reader);
    if (end < count) {
      forEach(end, count, reader);
    }
    if (all == null) {
      held.close();
    }
  }

  private static void put(INDArray part, INDArray whole, int row, int column) {
    INDArrayIndex[] place = {
      NDArrayIndex.interval(row, row + part.rows()),
      NDArrayIndex.interval(column, column + part.columns())
    };
    whole.put(place, part);
  }

  @Override
  public void close() {
    if (ownsAll) {
      all.close();
    }
  }
}
