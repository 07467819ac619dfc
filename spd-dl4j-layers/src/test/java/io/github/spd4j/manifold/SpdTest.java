/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.testing.Ejml;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import org.ejml.simple.SimpleEVD;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

class SpdTest {

  private static INDArray symmetric(int n) {
    Nd4j.getRandom().setSeed(n);
    INDArray a = Nd4j.randn(DataType.DOUBLE, n, n);
    return a.add(a.transpose());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 30})
  void eigenvaluesAgreeWithEjmlAndLeaveTheMatrixAlone(int n) {
    INDArray a = symmetric(n);
    INDArray before = a.dup();
    double[] actual = Spd.eigenvalues(a);
    SimpleEVD<SimpleMatrix> evd = Ejml.of(a).eig();
    double[] expected = new double[n];
    for (int i = 0; i < n; i++) {
      expected[i] = evd.getEigenvalue(i).getReal();
    }
    Arrays.sort(expected);
    for (int i = 0; i < n; i++) {
      assertSmall(actual[i] - expected[i], ROUNDING);
    }
    assertThat(a).isEqualTo(before);
  }

  /** Three matrices with eigenvalues from about 0.5 on. */
  private static INDArray definite(DataType type, int n) {
    INDArray stack = Nd4j.create(DataType.DOUBLE, 3, n, n);
    for (int i = 0; i < 3; i++) {
      INDArray a = symmetric(n).addi(i);
      stack
          .get(NDArrayIndex.point(i))
          .assign(a.mmul(a.transpose()).divi(n).addi(Nd4j.eye(n).muli(0.5)));
    }
    return stack.castTo(type);
  }

  private static INDArray byEjml(INDArray stack, DoubleUnaryOperator f) {
    INDArray result = Nd4j.create(DataType.DOUBLE, stack.shape());
    for (int i = 0; i < stack.size(0); i++) {
      SimpleEVD<SimpleMatrix> evd = Ejml.of(stack.get(NDArrayIndex.point(i))).eig();
      SimpleMatrix sum = new SimpleMatrix((int) stack.size(1), (int) stack.size(1));
      for (int k = 0; k < stack.size(1); k++) {
        SimpleMatrix v = evd.getEigenVector(k);
        sum =
            sum.plus(v.mult(v.transpose()).scale(f.applyAsDouble(evd.getEigenvalue(k).getReal())));
      }
      result.get(NDArrayIndex.point(i)).assign(Ejml.toNd4j(sum));
    }
    return result;
  }

  @ParameterizedTest
  @CsvSource({"FLOAT, 1", "FLOAT, 6", "DOUBLE, 1", "DOUBLE, 6", "DOUBLE, 40"})
  void functionsOfStacksAgreeWithEjml(DataType type, int n) {
    INDArray stack = definite(type, n);
    INDArray before = stack.dup();
    INDArray logarithm = Spd.logarithm(stack);
    assertThat(logarithm.dataType()).isEqualTo(type);
    assertClose(logarithm, byEjml(stack, Math::log), rounding(type));
    assertClose(Spd.exponential(logarithm), stack, rounding(type));
    INDArray small = stack.div(10);
    assertClose(Spd.exponential(small), byEjml(small, Math::exp), rounding(type));
    for (double exponent : new double[] {0.25, 0.5, -1, 1.7}) {
      INDArray power = Spd.power(stack, exponent);
      assertThat(power.dataType()).isEqualTo(type);
      assertClose(power, byEjml(stack, x -> Math.pow(x, exponent)), rounding(type));
    }
    assertClose(Spd.function(stack, Math::sin), byEjml(stack, Math::sin), rounding(type));
    assertThat(stack).isEqualTo(before);
  }

  @Test
  void conditionNumberOfADiagonalMatrix() {
    INDArray a = Nd4j.createFromArray(new double[][] {{2, 0}, {0, 8}});
    assertThat(Spd.conditionNumber(a)).isEqualTo(4);
    assertThat(Spd.conditionNumber(a.mul(-1))).isInfinite();
  }

  @Test
  void checkGivesItsReason() {
    INDArray a = Nd4j.createFromArray(new float[][] {{2, 1}, {1, 2}});
    assertThat(Spd.check(a, 0)).isEmpty();
    assertThat(Spd.check(a.reshape(1, 4), 0)).get().asString().contains("[1, 4]");
    INDArray indefinite = Nd4j.createFromArray(new float[][] {{1, 2}, {2, 1}});
    assertThat(Spd.check(indefinite, 0))
        .get()
        .asString()
        .containsPattern("smallest eigenvalue is -(1[,.]|0\\.99999999)");
    INDArray skewed = Nd4j.createFromArray(new float[][] {{2, 1}, {0, 2}});
    assertThat(Spd.check(skewed, 0.5)).get().asString().contains("|A_ij − A_ji| is 1");
    assertThat(Spd.check(a.dup().putScalar(0, 1, Float.NaN), 1)).get().asString().contains("NaN");
  }

  @Test
  void eigenvaluesOfWhatIsNotFiniteAreRefused() {
    INDArray a = Nd4j.createFromArray(new double[][] {{1, 0}, {0, Double.NaN}});
    assertThatThrownBy(() -> Spd.eigenvalues(a)).hasMessageContaining("finite");
    assertThatThrownBy(() -> Spd.eigenvalues(Nd4j.ones(2, 3))).hasMessageContaining("[2, 3]");
  }

  /** Theorem 2 of the paper: WᵀKW is positive definite for full-rank W, and only for it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void transformKeepsPositiveDefinitenessExactlyForFullRank(int seed) {
    Nd4j.getRandom().setSeed(seed);
    INDArray b = Nd4j.randn(DataType.DOUBLE, 6, 9);
    INDArray k = b.mmul(b.transpose());
    INDArray fullRank = Nd4j.randn(DataType.DOUBLE, 6, 4);
    assertThat(Spd.smallestEigenvalue(transform(k, fullRank))).isGreaterThan(1e-8);

    INDArray deficient = fullRank.dup();
    deficient.putColumn(3, deficient.getColumn(0).add(deficient.getColumn(1)));
    assertSmall(Spd.smallestEigenvalue(transform(k, deficient)), ROUNDING);
  }

  private static INDArray transform(INDArray k, INDArray w) {
    return w.transpose().mmul(k).mmul(w);
  }

  /** Theorem 4 of the paper is false: a ReLU can make a definite matrix indefinite. */
  @Test
  void reluCanDestroyPositiveDefiniteness() {
    INDArray m =
        Nd4j.createFromArray(
            new double[][] {
              {1, -0.5, 0, 0.6},
              {-0.5, 1, 0.6, 0},
              {0, 0.6, 1, 0.7},
              {0.6, 0, 0.7, 1}
            });
    assertSmall(Spd.smallestEigenvalue(m) - 0.051, 1e-3);
    INDArray rectified = org.nd4j.linalg.ops.transforms.Transforms.relu(m, true);
    assertSmall(Spd.smallestEigenvalue(rectified) + 0.045, 1e-3);
  }
}
