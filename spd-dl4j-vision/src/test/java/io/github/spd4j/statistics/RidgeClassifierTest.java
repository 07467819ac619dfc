/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.testing.Ejml;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.Pointer;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

@Tag("once")
class RidgeClassifierTest {

  private static final int CLASSES = 3;

  /** The decomposition of the Gram matrix against equations for the weights themselves. */
  private static final double TWO_SOLVERS = 1e-8;

  /** The smallest penalty leaves a condition number of 1e4. */
  private static final double SINGLE_PRECISION = 1e-3;

  private static final class Task {
    final INDArray examples;
    final SimpleMatrix matrix;
    final int[] labels;

    Task(int n, int length, double noise, DataType type) {
      Random random = new Random(n + 7L * length);
      double[][] rows = new double[n][length];
      labels = new int[n];
      for (int i = 0; i < n; i++) {
        labels[i] = random.nextInt(CLASSES);
        for (int j = 0; j < length; j++) {
          double signal = j % CLASSES == labels[i] ? 1 : 0;
          rows[i][j] = 5 + signal + noise * random.nextGaussian();
        }
      }
      examples = Nd4j.createFromArray(rows).castTo(type);
      matrix = Ejml.of(examples);
    }

    RidgeClassifier fit() {
      return RidgeClassifier.fit(examples.dup(), labels, CLASSES);
    }

    /** Weights [length + 1, classes] for all examples but some, the intercept last. */
    SimpleMatrix solve(double penalty, IntPredicate leftOut) {
      int length = matrix.getNumCols();
      SimpleMatrix rows = new SimpleMatrix(labels.length, length + 1); // of zeros for those
      SimpleMatrix targets = new SimpleMatrix(labels.length, CLASSES);
      for (int i = 0; i < labels.length; i++) {
        if (!leftOut.test(i)) {
          rows.insertIntoThis(i, 0, with1(matrix.getRow(i)));
          targets.set(i, labels[i], 1);
        }
      }
      SimpleMatrix penalties = SimpleMatrix.identity(length + 1).scale(penalty);
      penalties.set(length, length, 0);
      return squares(rows).plus(penalties).solve(rows.transpose().mult(targets));
    }

    /** XᵀX; of long rows by ND4J, all at a time, which takes EJML seconds. */
    private static SimpleMatrix squares(SimpleMatrix rows) {
      if (rows.getNumCols() < 1000) {
        return rows.transpose().mult(rows);
      }
      INDArray x = Ejml.toNd4j(rows);
      return Ejml.of(x.transpose().mmul(x));
    }

    SimpleMatrix leftOut(double penalty, int i, int... groups) {
      return with1(matrix.getRow(i)).mult(solve(penalty, k -> groups[k] == groups[i]));
    }

    int rightWhenLeftOut(double penalty, int... groups) {
      int right = 0;
      for (int i = 0; i < labels.length; i++) {
        double[] answer = leftOut(penalty, i, groups).getDDRM().getData();
        right += answer[labels[i]] == Arrays.stream(answer).max().orElseThrow() ? 1 : 0;
      }
      return right;
    }

    /** The mean of the squared distances from the mean. */
    double meanSquaredNorm() {
      INDArray centred = examples.sub(examples.mean(true, 0));
      return centred.mul(centred).sumNumber().doubleValue() / labels.length;
    }

    double share(int label) {
      return Arrays.stream(labels).filter(l -> l == label).count() / (double) labels.length;
    }

    INDArray targets() {
      INDArray targets = Nd4j.zeros(DataType.DOUBLE, labels.length, CLASSES);
      for (int i = 0; i < labels.length; i++) {
        for (int k = 0; k < CLASSES; k++) {
          targets.putScalar(i, k, (labels[i] == k ? 1 : 0) - share(k));
        }
      }
      return targets;
    }

    static SimpleMatrix with1(SimpleMatrix row) {
      SimpleMatrix longer = new SimpleMatrix(1, row.getNumCols() + 1);
      longer.insertIntoThis(0, 0, row);
      longer.set(0, row.getNumCols(), 1);
      return longer;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 6, 40})
  void solvesTheNormalEquations(int length) {
    Task task = new Task(20, length, 0.7, DataType.DOUBLE);
    RidgeClassifier fitted = task.fit();
    SimpleMatrix expected = task.solve(fitted.penalty(), i -> false).scale(fitted.scale());
    assertClose(
        Nd4j.concat(0, fitted.weights(), fitted.bias()), Ejml.toNd4j(expected), TWO_SOLVERS);
  }

  /** Single examples, groups of several sizes, and one group of more than the others together. */
  private static final List<int[]> GROUPS =
      List.of(
          IntStream.range(0, 20).toArray(),
          new int[] {0, 0, 0, 1, 2, 2, 9, 9, 9, 9, 4, 5, 6, 6, 7, 8, 8, 8, 8, 8},
          new int[] {3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 1, 1});

  /** However few examples are read at a time: a group may go on in the next block. */
  @ParameterizedTest
  @CsvSource({"1, 9", "2, 1", "2, 20", "6, 3", "6, 16", "6, 1000", "40, 8", "40, 1000"})
  void knowsTheAnswersToExamplesThatWereLeftOut(int length, int held) {
    for (DataType type : List.of(DataType.DOUBLE, DataType.FLOAT)) {
      requireTheAnswers(new Task(20, length, 0.7, type), length, held);
    }
  }

  private static void requireTheAnswers(Task task, int length, int held) {
    DataType type = task.examples.dataType();
    double tolerance = type == DataType.DOUBLE ? TWO_SOLVERS : SINGLE_PRECISION;
    double[] penalties = {0.01, 3};
    for (int[] groups : GROUPS) {
      INDArray all = Nd4j.zeros(DataType.DOUBLE, 2, 20, CLASSES);
      Reading reading = new Reading(task.examples);
      try (RidgeSums sums =
          RidgeSums.within((long) type.width() * held * length, reading, 20, reading)) {
        new RidgeEquations(sums, task.targets())
            .leaveOut(
                groups,
                penalties,
                (penalty, first, answers) ->
                    all.get(
                            NDArrayIndex.point(penalty),
                            NDArrayIndex.interval(first, first + answers.rows()),
                            NDArrayIndex.all())
                        .assign(answers));
      }
      for (int p = 0; p < penalties.length; p++) {
        for (int i = 0; i < task.labels.length; i++) {
          for (int k = 0; k < CLASSES; k++) {
            double answer = all.getDouble(p, i, k) + task.share(k);
            double expected = task.leftOut(penalties[p], i, groups).get(0, k);
            assertSmall(answer - expected, tolerance);
          }
        }
      }
    }
  }

  /** Four views of each picture, nearly the same: single ones would be known by the others. */
  @Test
  void leavesGroupsOutTogether() {
    Task task = new Task(24, 40, 0, DataType.DOUBLE);
    Random random = new Random(5);
    int[] groups = IntStream.range(0, 24).map(i -> i / 4).toArray();
    double[][] rows = new double[24][40];
    for (int i = 0; i < 24; i++) {
      task.labels[i] = groups[i] % CLASSES;
      for (int j = 0; j < 40; j++) {
        double noise = i % 4 == 0 ? random.nextGaussian() : rows[i - i % 4][j];
        double signal = i % 4 == 0 && j % CLASSES == task.labels[i] ? 1 : 0;
        rows[i][j] = noise + signal + 0.01 * random.nextGaussian();
      }
    }
    task.examples.assign(Nd4j.createFromArray(rows));
    task.matrix.setTo(Ejml.of(task.examples));
    Reading reading = new Reading(task.examples);
    RidgeClassifier single = RidgeClassifier.fit(reading, task.labels, CLASSES, reading);
    RidgeClassifier grouped = RidgeClassifier.fit(reading, task.labels, groups, CLASSES, reading);
    assertThat(single.leaveOneOutAccuracy()).isEqualTo(1);
    assertThat(grouped.leaveOneOutAccuracy())
        .isEqualTo(task.rightWhenLeftOut(grouped.penalty(), groups) / 24.0)
        .isLessThan(0.8);
    assertThat(grouped.scale()).isLessThan(single.scale());
  }

  /** Against XᵀDX of weighted rows: copies of an example are a weight of it. */
  @ParameterizedTest
  @ValueSource(ints = {6, 40})
  void copiesInAGroupAreWeights(int length) {
    Task task = new Task(20, length, 0.7, DataType.DOUBLE);
    int[] copies =
        IntStream.range(0, 20)
            .flatMap(i -> IntStream.generate(() -> i).limit(1 + task.labels[i]))
            .toArray();
    int[] labels = Arrays.stream(copies).map(i -> task.labels[i]).toArray();
    Reading reading = new Reading(task.examples.getRows(copies));
    RidgeClassifier fitted = RidgeClassifier.fit(reading, labels, copies, CLASSES, reading);
    SimpleMatrix rows = new SimpleMatrix(20, length + 1);
    SimpleMatrix weighted = new SimpleMatrix(20, length + 1);
    SimpleMatrix targets = new SimpleMatrix(20, CLASSES);
    for (int i = 0; i < 20; i++) {
      rows.insertIntoThis(i, 0, Task.with1(task.matrix.getRow(i)));
      weighted.insertIntoThis(i, 0, Task.with1(task.matrix.getRow(i)).scale(1 + task.labels[i]));
      targets.set(i, task.labels[i], 1);
    }
    SimpleMatrix penalties = SimpleMatrix.identity(length + 1).scale(fitted.penalty());
    penalties.set(length, length, 0);
    SimpleMatrix expected =
        weighted.transpose().mult(rows).plus(penalties).solve(weighted.transpose().mult(targets));
    assertClose(
        Nd4j.concat(0, fitted.weights(), fitted.bias()),
        Ejml.toNd4j(expected.scale(fitted.scale())),
        TWO_SOLVERS);
  }

  @Test
  void wantsThreeGroupsInOnePieceEach() {
    Reading reading = new Reading(Nd4j.rand(DataType.DOUBLE, 4, 2));
    int[] labels = {0, 1, 2, 0};
    assertThatThrownBy(
            () -> RidgeClassifier.fit(reading, labels, new int[] {5, 3, 5, 1}, CLASSES, reading))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "groups: expected the examples of a group next to one another, got group 5 in two places");
    assertThatThrownBy(
            () -> RidgeClassifier.fit(reading, labels, new int[] {3, 3, 1, 1}, CLASSES, reading))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "groups: expected examples of at least 3 with a label each, got 4 labels, and 4 examples"
                + " of 2 groups");
  }

  /** The most right answers to examples left out; the smallest penalty of equals. */
  @ParameterizedTest
  @CsvSource({"2, 0.7", "6, 0.6", "6, 0.7", "6, 1", "40, 0.8", "40, 1.3", "40, 2"})
  void takesTheBestPenaltyOfTheRange(int length, double noise) {
    Task task = new Task(24, length, noise, DataType.DOUBLE);
    double[] shares = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1};
    int best = -1;
    double expected = 0;
    Set<Integer> different = new HashSet<>();
    for (double share : shares) {
      double penalty = share * task.meanSquaredNorm();
      int right = task.rightWhenLeftOut(penalty, IntStream.range(0, 24).toArray());
      different.add(right);
      expected = right > best ? penalty : expected;
      best = Math.max(best, right);
    }
    assertThat(different).hasSizeGreaterThan(1); // or else any would do
    RidgeClassifier fitted = task.fit();
    assertSmall(fitted.penalty() / expected - 1, TWO_SOLVERS);
    assertThat(fitted.leaveOneOutAccuracy()).isEqualTo(best / 24.0);
  }

  /** However few examples are held at a time, and whichever side of the matrix is shorter. */
  @ParameterizedTest
  @CsvSource({"40, 1", "40, 7", "40, 12", "40, 24", "40, 100", "6, 1", "6, 10", "24, 5", "23, 5"})
  void partsOfExamplesGiveTheSameClassifier(int length, int held) {
    for (DataType type : List.of(DataType.DOUBLE, DataType.FLOAT)) {
      Task task = new Task(24, length, 2, type);
      RidgeClassifier expected = task.fit();
      Reading reading = new Reading(task.examples);
      long bytes = (long) held * length * type.width();
      RidgeClassifier fitted;
      try (RidgeSums sums = RidgeSums.within(bytes, reading, 24, reading)) {
        fitted = RidgeClassifier.fit(sums, task.labels, CLASSES);
      }
      double tolerance = type == DataType.DOUBLE ? TWO_SOLVERS : SINGLE_PRECISION;
      assertSmall(fitted.penalty() / expected.penalty() - 1, tolerance);
      assertThat(fitted.scale()).isEqualTo(expected.scale());
      assertThat(fitted.weights().dataType()).isEqualTo(type);
      assertClose(fitted.weights(), expected.weights(), tolerance);
      assertClose(fitted.bias(), expected.bias(), tolerance);
      assertThat(reading.done).isEqualTo(reading.total).isEqualTo(reading.rows + 24L);
      assertThat(reading.rows == 24).isEqualTo(held >= 24);
      assertThat(reading.most).isLessThanOrEqualTo(Math.max(1, held / 8));
    }
  }

  /** More columns than are multiplied at a time, with few examples and with many. */
  @ParameterizedTest
  @ValueSource(ints = {1030, 1060})
  void longExamplesGiveTheSameClassifier(int n) {
    Task task = new Task(n, 1050, 2, DataType.DOUBLE);
    Reading reading = new Reading(task.examples);
    RidgeClassifier fitted = RidgeClassifier.fit(reading, task.labels, CLASSES, reading);
    SimpleMatrix expected = task.solve(fitted.penalty(), i -> false).scale(fitted.scale());
    assertClose(
        Nd4j.concat(0, fitted.weights(), fitted.bias()), Ejml.toNd4j(expected), TWO_SOLVERS);
  }

  @Test
  void examplesThatAreReadGiveTheSameClassifier() {
    Task task = new Task(24, 6, 1, DataType.DOUBLE);
    RidgeClassifier expected = task.fit();
    Reading reading = new Reading(task.examples);
    RidgeClassifier fitted = RidgeClassifier.fit(reading, task.labels, CLASSES, reading);
    assertClose(fitted.weights(), expected.weights(), TWO_SOLVERS);
    assertClose(fitted.bias(), expected.bias(), TWO_SOLVERS);
    assertThat(reading.done).isEqualTo(reading.total);
    assertThatThrownBy(() -> RidgeClassifier.fit(reading, new int[2], CLASSES, reading))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("labels: expected those of at least 3 examples, got 2");
  }

  @Test
  void threeExamplesAreEnough() {
    Task task = new Task(3, 4, 0.1, DataType.DOUBLE);
    Reading reading = new Reading(task.examples);
    RidgeClassifier fitted = RidgeClassifier.fit(reading, task.labels, CLASSES, reading);
    assertClose(task.fit().weights(), fitted.weights(), TWO_SOLVERS);
  }

  /** Examples of an array, and what is asked of them. */
  private static final class Reading implements RidgeExamples, RidgeProgress {
    private final INDArray examples;
    private int rows;
    private int most;
    private long done;
    private long total;

    Reading(INDArray examples) {
      this.examples = examples;
    }

    @Override
    public long length() {
      return examples.columns();
    }

    @Override
    public DataType type() {
      return examples.dataType();
    }

    @Override
    public INDArray read(int first, int end) {
      rows += end - first;
      most = Math.max(most, end - first);
      return examples.get(NDArrayIndex.interval(first, end), NDArrayIndex.all()).dup();
    }

    @Override
    public void examplesDone(long examplesDone, long examplesInAll) {
      done = examplesDone;
      total = examplesInAll;
    }
  }

  /** 96 MB of examples pass through 24 MB. */
  @Test
  void takesNoMoreMemoryThanItSays() {
    int count = 80;
    int length = 300_000;
    long held = 24L << 20;
    int[] labels = new int[count];
    Arrays.setAll(labels, i -> i % CLASSES);
    AtomicLong most = new AtomicLong();
    AtomicLong reads = new AtomicLong();
    RidgeExamples examples =
        new RidgeExamples() {
          @Override
          public long length() {
            return length;
          }

          @Override
          public DataType type() {
            return DataType.FLOAT;
          }

          @Override
          public INDArray read(int first, int end) {
            INDArray block = Nd4j.createUninitialized(DataType.FLOAT, end - first, length);
            for (int i = first; i < end; i++) {
              block.getRow(i - first).assign(1).putScalar(i, 2);
            }
            if (reads.getAndIncrement() % 16 == 0) {
              System.gc(); // of the Java heap, what is in use
              most.accumulateAndGet(Pointer.physicalBytes(), Math::max);
            }
            return block;
          }
        };
    System.gc();
    long before = Pointer.physicalBytes();
    try (RidgeSums sums = RidgeSums.within(held, examples, count, RidgeProgress.NONE)) {
      RidgeClassifier.fit(sums, labels, CLASSES);
    }
    assertThat(reads.get()).isGreaterThan(100);
    // 4 times a block beside what is held, and what the Java heap grows by meanwhile
    assertThat(most.get() - before).isLessThan(held + held / 2 + (32L << 20));
    assertThat(RidgeClassifier.mostExamples(16384)).isGreaterThan(1_000_000);
    assertThat(RidgeClassifier.mostExamples(16385)).isEqualTo(16384);
  }

  @Test
  void isSureWhereClassesAreApartAndTimidWhereTheyAreNot() {
    RidgeClassifier apart = new Task(60, 6, 0.05, DataType.DOUBLE).fit();
    RidgeClassifier mixed = new Task(60, 6, 3, DataType.DOUBLE).fit();
    assertThat(apart.leaveOneOutAccuracy()).isEqualTo(1);
    assertThat(mixed.leaveOneOutAccuracy()).isLessThan(0.7);
    assertThat(apart.scale()).isGreaterThan(4 * mixed.scale());
  }

  @Test
  void worksInSinglePrecision() {
    Task task = new Task(30, 12, 0.5, DataType.FLOAT);
    RidgeClassifier fitted = task.fit();
    SimpleMatrix expected = task.solve(fitted.penalty(), i -> false).scale(fitted.scale());
    assertThat(fitted.weights().dataType()).isEqualTo(DataType.FLOAT);
    INDArray weights = Ejml.toNd4j(expected.extractMatrix(0, 12, 0, CLASSES));
    assertClose(fitted.weights(), weights, SINGLE_PRECISION);
  }

  @Test
  void takesEqualExamples() {
    INDArray same = Nd4j.ones(DataType.DOUBLE, 6, 4);
    RidgeClassifier fitted = RidgeClassifier.fit(same, new int[] {0, 1, 2, 0, 1, 0}, CLASSES);
    assertSmall(fitted.weights().norm2Number().doubleValue(), 0);
    assertThat(fitted.bias().argMax(1).getInt(0)).isZero();
  }

  /** All that is left of them is rounding errors, of a matrix with many columns or rows. */
  @ParameterizedTest
  @CsvSource({"3000, 200", "60, 333"})
  void takesEqualExamplesOfRoundedNumbers(int n, int length) {
    INDArray same = Nd4j.rand(DataType.FLOAT, 1, length).broadcast(n, length).dup('c');
    int[] labels = IntStream.range(0, n).map(i -> i % CLASSES).toArray();
    Reading reading = new Reading(same);
    RidgeClassifier fitted = RidgeClassifier.fit(reading, labels, CLASSES, reading);
    assertThat(Matrices.isFinite(fitted.weights())).isTrue();
    assertThat(Matrices.isFinite(fitted.bias())).isTrue();
  }

  @Test
  void wantsFiniteExamplesWithLabels() {
    INDArray examples = Nd4j.ones(DataType.DOUBLE, 4, 2);
    assertThatThrownBy(() -> RidgeClassifier.fit(examples.dup(), new int[3], CLASSES))
        .hasMessage(
            "examples: expected at least 3, one a row, with a label each, got shape [4, 2] and 3"
                + " labels");
    assertThatThrownBy(
            () ->
                RidgeClassifier.fit(
                    examples.dup().putScalar(1, 1, Double.NaN), new int[4], CLASSES))
        .isInstanceOf(NotFiniteException.class);
    for (DataType type : List.of(DataType.INT32, DataType.FLOAT16)) {
      assertThatThrownBy(() -> RidgeClassifier.fit(examples.castTo(type), new int[4], CLASSES))
          .hasMessage("examples: expected FLOAT or DOUBLE, got " + type);
    }
    for (int label : new int[] {-1, 2}) {
      assertThatThrownBy(() -> RidgeClassifier.fit(examples.dup(), new int[] {0, 1, 0, label}, 2))
          .hasMessage("labels: expected 0 to 1, got " + label);
    }
  }
}
