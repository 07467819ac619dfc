/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import static io.github.spd4j.internal.backend.MatrixStack.of;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.github.spd4j.internal.operators.vectors.Triangle;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.testing.LoopAlgebra;
import io.github.spd4j.testing.Tolerances;
import java.util.Arrays;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/** What every {@link Algebra} keeps: it computes what plain loops compute. */
public abstract class AlgebraContract {

  /** Not multiples of a tile or a warp, and larger and smaller than both. */
  private static final int[] SIZES = {1, 2, 31, 33, 100, 300};

  private static final int IMAGES = 3;

  /** The algebra to be tested. */
  protected abstract Algebra algebra();

  @BeforeEach
  void seed() {
    Nd4j.getRandom().setSeed(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void multiplies(DataType type) {
    INDArray a = Nd4j.randn(type, IMAGES, 5, 33);
    INDArray b = Nd4j.randn(type, IMAGES, 33, 4);
    INDArray once = Nd4j.randn(type, 33, 4);
    INDArray c = Nd4j.randn(type, IMAGES, 5, 4);
    for (double beta : new double[] {0, 1, 0.3}) {
      compare((x, y) -> x.multiply(2, of(y[0]), of(y[1]), beta, of(y[2]), IMAGES), a, b, c);
      compare((x, y) -> x.multiply(-1, of(y[0]), of(y[1]), beta, of(y[2]), IMAGES), a, once, c);
      compare(
          (x, y) ->
              x.multiply(1, of(y[1]).transpose(), of(y[0]).transpose(), beta, of(y[2]), IMAGES),
          a,
          b,
          Nd4j.randn(type, IMAGES, 4, 5));
      compare(
          (x, y) -> x.multiply(1, of(y[0]).columns(3, 36 - 3), of(y[1]), beta, of(y[2]), IMAGES),
          a,
          Nd4j.randn(type, IMAGES, 30, 4),
          c);
    }
  }

  /** As in a classifier of long vectors. */
  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void multipliesLongMatrices(DataType type) {
    for (int rows : new int[] {1, 9}) {
      int length = rows == 1 ? 90_011 : 12_011; // enough for threads to divide
      INDArray a = Nd4j.randn(type, rows, length).muli(0.01);
      INDArray b = Nd4j.randn(type, 13, length);
      INDArray c = Nd4j.randn(type, rows, 13);
      for (double beta : new double[] {0, 1, 0.5}) {
        compare(
            (x, y) -> x.multiply(2, of(y[0]), of(y[1]).transpose(), beta, of(y[2]), 1), a, b, c);
        compare(
            (x, y) -> x.multiply(-1, of(y[0]), of(y[1]), beta, of(y[2]), 1),
            a,
            b.transpose().dup('c'),
            c);
        compare((x, y) -> x.multiply(2, of(y[2]), of(y[1]), beta, of(y[0]), 1), a, b, c);
        compare(
            (x, y) -> x.multiply(-1, of(y[2]).transpose(), of(y[0]), beta, of(y[1]), 1), a, b, c);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void addsAndCopies(DataType type) {
    INDArray a = Nd4j.randn(type, 7, 5);
    compare((x, y) -> x.add(-0.3, y[0], y[1]), a, Nd4j.randn(type, 7, 5));
    compare((x, y) -> x.add(-1.5, y[0], y[0]), a);
    compare((x, y) -> x.copy(y[0], 3, y[1], 2, 4, 6), a, Nd4j.randn(type, 30));
    compare((x, y) -> x.copy(y[0], y[1]), a, Nd4j.randn(type, 7, 5));
    compare((x, y) -> x.copy(y[0].transpose(), y[1]), a, Nd4j.randn(type, 5, 7));
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void scalesRowsAndColumns(DataType type) {
    for (int n : SIZES) {
      INDArray matrix = Nd4j.randn(type, IMAGES, n);
      compare(
          (library, arrays) -> library.scaleRows(arrays[0], arrays[1], arrays[2]),
          matrix,
          Nd4j.randn(type, IMAGES),
          Nd4j.zeros(type, IMAGES, n));
      compare(
          (library, arrays) -> library.scaleColumns(arrays[0], arrays[1], arrays[0]),
          matrix,
          Nd4j.randn(type, n));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void normalizesResponses(DataType type) {
    LocalResponse[] responses = {
      new LocalResponse(2, 0.3, 0.75, 1),
      new LocalResponse(0, 0.5, 0.5, 2),
      new LocalResponse(20, 0.1, 1.2, 0.7),
    };
    for (LocalResponse response : responses) {
      for (long[] shape : new long[][] {{IMAGES, 7, 300}, {1, 1, 1}, {2, 13, 5}}) {
        INDArray maps = Nd4j.randn(type, shape);
        compare((x, y) -> x.normalize(y[0], response, y[1]), maps, Nd4j.zeros(type, shape));
        compare(
            (x, y) -> x.normalizeGradient(y[0], y[1], response, y[2]),
            maps,
            Nd4j.randn(type, shape),
            Nd4j.zeros(type, shape));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void copiesTriangles(DataType type) {
    for (int n : SIZES) {
      INDArray matrices = Nd4j.randn(type, IMAGES, n, n);
      INDArray vectors = Nd4j.randn(type, IMAGES, Triangle.length(n));
      compare((library, arrays) -> library.packTriangles(arrays[0], arrays[1]), matrices, vectors);
      compare(
          (library, arrays) -> library.unpackSymmetric(arrays[1], arrays[0]), matrices, vectors);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void addsTheTransposed(DataType type) {
    for (int n : SIZES) {
      compare(
          (library, arrays) -> library.addTransposed(arrays[0], 0.3, arrays[1]),
          Nd4j.randn(type, IMAGES, n, n),
          Nd4j.zeros(type, IMAGES, n, n));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void makesDistancesAndExponentials(DataType type) {
    for (int n : SIZES) {
      INDArray maps = Nd4j.randn(type, IMAGES, n, 7);
      INDArray gram = Matrices.transposeSecond(maps, maps);
      compare(
          (library, arrays) -> library.squaredDistances(arrays[0], 0.99, arrays[1], arrays[2]),
          gram,
          Nd4j.zeros(type, IMAGES, n),
          Nd4j.zeros(type, IMAGES, n));
      compare(
          (library, arrays) -> library.exponentials(arrays[0], arrays[1]),
          Nd4j.randn(type, IMAGES, n, n),
          Nd4j.randn(type, IMAGES));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void normalisesVectors(DataType type) {
    for (int n : new int[] {1, 33, 257, 5000}) {
      INDArray vectors = Nd4j.randn(type, IMAGES, n);
      compare(
          (library, arrays) -> library.signedRoots(arrays[0], arrays[1], 0.1, arrays[2]),
          vectors,
          Nd4j.randn(type, n),
          Nd4j.zeros(type, IMAGES, n));
      compare(
          (library, arrays) -> library.rowProducts(-0.3, arrays[0], arrays[1], arrays[2]),
          vectors,
          Nd4j.randn(type, IMAGES, n),
          Nd4j.zeros(type, IMAGES));
      INDArray positive = Transforms.exp(Nd4j.randn(type, n));
      compare((library, arrays) -> library.inverseRoots(arrays[0], 2, 0.5), positive);
      compare((library, arrays) -> library.inverseSquares(arrays[0], -2, 0.5), positive);
    }
  }

  /** Odd and even, with fewer and more entries than a card keeps close to its processors. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 31, 64, 127, 128, 241, 256, 258, 514})
  void decomposes(int n) {
    INDArray random = Nd4j.randn(DataType.DOUBLE, IMAGES, n, n);
    INDArray matrices = Matrices.symmetricPart(random);
    matrices.slice(1).assign(0); // all eigenvalues are the same
    matrices.slice(2).assign(Matrices.transposeFirst(random.slice(2), random.slice(2)));
    INDArray values = Nd4j.zeros(DataType.DOUBLE, IMAGES, n);
    INDArray vectors = Nd4j.zeros(DataType.DOUBLE, IMAGES, n, n);
    algebra().eigen(matrices.dup('c'), values, vectors);
    for (int i = 0; i < IMAGES; i++) {
      INDArray u = vectors.slice(i).dup('c');
      assertThat(Matrices.orthonormalityError(u)).isLessThan(1e-12 * n);
      INDArray product = Matrices.product(matrices.slice(i), u);
      INDArray lambda = values.getRow(i, true);
      double norm = matrices.slice(i).norm2Number().doubleValue();
      assertThat(product.subi(u.mul(lambda.broadcast(n, n))).norm2Number().doubleValue())
          .isLessThanOrEqualTo(1e-13 * n * norm);
      assertThat(lambda.toDoubleMatrix()[0]).isSorted();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void keepsWhatIsNotANumber(DataType type) {
    Algebra library = algebra();
    INDArray gram = Nd4j.valueArrayOf(new long[] {1, 2, 2}, Double.NaN, type);
    INDArray sums = Nd4j.zeros(type, 1, 2);
    library.squaredDistances(gram, 1, Nd4j.zeros(type, 1, 2), sums);
    INDArray numbers = Nd4j.valueArrayOf(new long[] {2}, Double.NaN, type);
    INDArray others = numbers.dup();
    library.inverseRoots(numbers, 1, 0);
    library.inverseSquares(others, 1, 0);
    for (INDArray array : new INDArray[] {gram, sums, numbers, others}) {
      assertThat(Double.isNaN(array.reshape(array.length()).getDouble(0))).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void readsSumsOfSquares(DataType type) {
    for (int n : new int[] {1, 33, 5000, 300_000}) {
      INDArray numbers = Nd4j.randn(type, n);
      for (long step : new long[] {1, 7, n}) {
        double expected = new LoopAlgebra().squaredNorm(numbers, step);
        assertThat(algebra().squaredNorm(numbers, step))
            .isCloseTo(expected, withinPercentage(100 * Tolerances.rounding(type)));
      }
      for (double bad : new double[] {Double.NaN, Double.NEGATIVE_INFINITY}) {
        numbers.putScalar(n - 1, bad);
        assertThat(Double.isFinite(algebra().squaredNorm(numbers, 1))).isFalse();
      }
    }
  }

  @Test
  void copiesWholeArraysToTheHost() {
    INDArray wide = Nd4j.arange(12).castTo(DataType.FLOAT).reshape(3, 4);
    algebra().add(1, wide.dup(), wide); // on a device, if there is one
    assertThat(Matrices.floats(wide)).startsWith(0, 2, 4).endsWith(20, 22).hasSize(12);
    assertThat(Matrices.floats(wide.getColumn(1))).containsExactly(2, 10, 18);
    assertThat(Matrices.floats(wide.getRow(1))).containsExactly(8, 10, 12, 14);
    assertThat(Matrices.floats(wide.transpose())).startsWith(0, 8, 16, 2);
    assertThat(Matrices.floats(Nd4j.createFromArray(1.5, 2.5))).containsExactly(1.5f, 2.5f);
  }

  /** What is read is what there was when it was asked for, in whatever order it is read. */
  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void readsLater(DataType type) {
    INDArray matrices = Nd4j.createFromArray(3, 1, 3, 2).castTo(type).reshape(1, 2, 2);
    Supplier<double[]> squares = algebra().squares(matrices, 1);
    Supplier<double[]> asymmetries = algebra().asymmetries(matrices, 1);
    algebra().add(1, matrices.dup(), matrices);
    Supplier<double[]> later = algebra().squares(matrices, 2);
    assertThat(DoubleStream.of(later.get()).sum()).isCloseTo(72, within(1e-9));
    assertThat(asymmetries.get()).containsExactly(new double[] {2.0 / 3}, within(1e-7));
    assertThat(DoubleStream.of(squares.get()).sum()).isCloseTo(23, within(1e-9));
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void readsHowFarFromSymmetric(DataType type) {
    for (int n : SIZES) {
      INDArray matrices = Nd4j.randn(type, IMAGES, n, n);
      matrices.slice(1).assign(Matrices.symmetricPart(matrices.slice(1)));
      matrices.slice(2).assign(0);
      for (long step : new long[] {1, 3}) {
        compareAsymmetries(matrices, step);
      }
      matrices.putScalar(new long[] {0, n - 1, 0}, Double.NaN);
      matrices.putScalar(new long[] {1, 0, n - 1}, Double.POSITIVE_INFINITY);
      compareAsymmetries(matrices, 1);
    }
  }

  private void compareAsymmetries(INDArray matrices, long step) {
    double[] expected = new LoopAlgebra().asymmetries(matrices, step).get();
    assertThat(algebra().asymmetries(matrices, step).get())
        .containsExactly(expected, within(Tolerances.rounding(matrices.dataType())));
  }

  /** Lets both work on arrays of the same content. */
  private void compare(BiConsumer<Algebra, INDArray[]> work, INDArray... arrays) {
    INDArray[] expected = Arrays.stream(arrays).map(INDArray::dup).toArray(INDArray[]::new);
    INDArray[] actual = Arrays.stream(arrays).map(INDArray::dup).toArray(INDArray[]::new);
    work.accept(new LoopAlgebra(), expected);
    work.accept(algebra(), actual);
    for (int i = 0; i < arrays.length; i++) {
      assertClose(actual[i], expected[i], Tolerances.rounding(arrays[0].dataType()));
    }
  }
}
