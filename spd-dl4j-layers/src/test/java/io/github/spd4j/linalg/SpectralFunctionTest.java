/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.testing.Ejml;
import org.ejml.data.Complex_F64;
import org.ejml.simple.SimpleEVD;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;

/** Eigenvalues, and beside the reference: divided differences where digits could be lost. */
class SpectralFunctionTest {

  private static INDArray definite(int batch, int n) {
    Nd4j.getRandom().setSeed(n);
    INDArray factors = Nd4j.randn(DataType.DOUBLE, batch, n, 3L * n);
    return Matrices.transposeSecond(factors, factors);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 40})
  void decompositionsGiveTheMatrixBackAndLeaveItAlone(int n) {
    INDArray a = definite(3, n);
    INDArray before = a.dup();
    SymmetricEigen eigen = SymmetricEigen.of(a);
    assertClose(SpectralFunction.rectifier(-1e9).apply(eigen), a, ROUNDING);
    for (int i = 0; i < 3; i++) {
      assertSmall(Matrices.orthonormalityError(eigen.vectors().slice(i)), ROUNDING);
      double[] values = eigen.values().getRow(i).toDoubleVector();
      assertThat(values).isSorted();
      assertClose(eigen.values().getRow(i), SymmetricEigen.valuesOf(a.slice(i)), ROUNDING);
    }
    assertThat(a).isEqualTo(before);
  }

  /** Of a matrix that is not symmetric both take the symmetric part, and not a triangle of it. */
  @Test
  void theSymmetricPartIsDecomposed() {
    INDArray a = definite(2, 6).addi(Nd4j.randn(DataType.DOUBLE, 2, 6, 6));
    INDArray symmetric = a.add(a.permute(0, 2, 1)).mul(0.5);
    INDArray before = a.dup();
    assertClose(SpectralFunction.rectifier(-1e9).apply(SymmetricEigen.of(a)), symmetric, ROUNDING);
    for (int i = 0; i < 2; i++) {
      double[] values =
          Ejml.of(symmetric.slice(i)).eig().getEigenvalues().stream()
              .mapToDouble(Complex_F64::getReal)
              .sorted()
              .toArray();
      INDArray expected = Nd4j.createFromArray(values);
      assertClose(SymmetricEigen.of(a).values().slice(i), expected, ROUNDING);
      assertClose(SymmetricEigen.valuesOf(a.slice(i)), expected, ROUNDING);
    }
    assertThat(a).isEqualTo(before);
  }

  @Test
  void singlePrecisionIsDecomposedInDouble() {
    INDArray a = definite(2, 8).castTo(DataType.FLOAT);
    SymmetricEigen eigen = SymmetricEigen.of(a);
    assertThat(eigen.values().dataType()).isEqualTo(DataType.DOUBLE);
    assertClose(SpectralFunction.rectifier(-1e9).apply(eigen), a, ROUNDING);
  }

  @Test
  void theLogarithmAgreesWithEjml() {
    INDArray a = definite(1, 7);
    SimpleEVD<SimpleMatrix> evd = Ejml.of(a.slice(0)).eig();
    SimpleMatrix expected = new SimpleMatrix(7, 7);
    for (int i = 0; i < 7; i++) {
      SimpleMatrix u = evd.getEigenVector(i);
      double value = Math.log(evd.getEigenvalue(i).getReal());
      expected = expected.plus(u.mult(u.transpose()).scale(value));
    }
    INDArray actual = SpectralFunction.logarithm(1e-9).apply(SymmetricEigen.of(a)).slice(0);
    assertClose(actual, Ejml.toNd4j(expected), ROUNDING);
  }

  /** The divided difference of the logarithm is 1/λ to first order, however close the two are. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 1e-16, 1e-15, 1e-13, 1e-10, 1e-8})
  void nearlyEqualEigenvaluesHaveTheSlopeOfTheirMean(double relativeGap) {
    double a = 0.37;
    double b = a * (1 + relativeGap);
    double slope = SpectralFunction.logarithm(1e-4).dividedDifference(a, b);
    assertSmall(slope * (a + b) / 2 - 1, ROUNDING);
    assertThat(SpectralFunction.rectifier(1e-4).dividedDifference(a, b)).isEqualTo(1);
    double mean = (a + b) / 2;
    for (double exponent : new double[] {-1, 0.25, 0.5, 2.5}) {
      double power = SpectralFunction.power(exponent, 1e-4).dividedDifference(a, b);
      assertSmall(power / (exponent * Math.pow(mean, exponent - 1)) - 1, ROUNDING);
    }
    assertSmall(
        SpectralFunction.exponential().dividedDifference(a, b) / Math.exp(mean) - 1, ROUNDING);
  }

  @Test
  void powersAndExponentialsUndoEachOther() {
    INDArray identity = Nd4j.eye(6).castTo(DataType.DOUBLE).reshape(1, 6, 6).repeat(0, 3);
    INDArray a = definite(3, 6).divi(20).addi(identity);
    SymmetricEigen eigen = SymmetricEigen.of(a);
    INDArray root = SpectralFunction.power(0.5, 1e-9).apply(eigen);
    assertClose(Matrices.product(root, root), a, ROUNDING);
    INDArray inverse = SpectralFunction.power(-1, 1e-9).apply(eigen);
    assertClose(Matrices.product(inverse, a), identity, ROUNDING);
    INDArray log = SpectralFunction.logarithm(1e-9).apply(eigen);
    assertClose(SpectralFunction.exponential().apply(SymmetricEigen.of(log)), a, ROUNDING);
    assertClose(SpectralFunction.power(1, 1e-9).apply(eigen), a, ROUNDING);
  }

  /** Functions of one's own agree with those that are built in, gradients and SameDiff included. */
  @Test
  void anyFunctionOfEigenvalues() {
    INDArray a = definite(2, 5).divi(10);
    SymmetricEigen eigen = SymmetricEigen.of(a);
    INDArray gradient = Nd4j.randn(DataType.DOUBLE, 2, 5, 5);
    SpectralFunction own =
        SpectralFunction.of(
            Math::exp,
            Math::exp,
            x -> x.getSameDiff().math().exp(x),
            x -> x.getSameDiff().math().exp(x));
    SpectralFunction exponential = SpectralFunction.exponential();
    assertClose(own.apply(eigen), exponential.apply(eigen), ROUNDING);
    assertClose(own.backward(eigen, gradient), exponential.backward(eigen, gradient), 1e-9);
    for (double gap : new double[] {0, 1e-15, 1e-9, 1e-6, 5e-6, 7e-6, 1e-4, 1}) {
      double expected = exponential.dividedDifference(0.7, 0.7 * (1 + gap));
      assertSmall(own.dividedDifference(0.7, 0.7 * (1 + gap)) / expected - 1, 1e-10);
    }
    SameDiff sd = SameDiff.create();
    SDVariable defined = own.define(sd, sd.constant(a), 5);
    assertClose(defined.eval(), own.apply(eigen), 1e-9);
    SpectralFunction undefined = SpectralFunction.of(Math::exp, Math::exp);
    assertThatThrownBy(() -> undefined.define(sd, sd.constant(a), 5))
        .hasMessageContaining("definitions of f and its slope");
  }

  @Test
  void refusesFloorsWithoutALogarithmAndOtherShapes() {
    assertThatThrownBy(() -> SpectralFunction.logarithm(0))
        .hasMessage("floor: expected a floor greater than 0, got 0.0");
    assertThatThrownBy(() -> SpectralFunction.power(0.5, Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
    for (long[] shape : new long[][] {{3}, {3, 4}, {2, 3, 4}, {2, 1, 3, 3}}) {
      assertThatThrownBy(() -> SymmetricEigen.of(Nd4j.zeros(DataType.DOUBLE, shape)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(
              "matrices: expected a matrix [n, n] or a stack [N, n, n], got shape [");
    }
  }

  /** What is left of a sum of logarithms that cancel each other is symmetric too. */
  @Test
  void resultsAreSymmetricToTheLastDigit() {
    INDArray log = SpectralFunction.logarithm(1e-9).apply(SymmetricEigen.of(definite(3, 7)));
    assertThat(log.permute(0, 2, 1).sub(log).amaxNumber().doubleValue()).isZero();
  }

  /** e^a − e^b where e^(a − b) is not a number, and e^b is none but 0. */
  @Test
  void exponentialsThatAreFarApart() {
    SpectralFunction exponential = SpectralFunction.exponential();
    double expected = Math.exp(3) / 1003;
    assertSmall(exponential.dividedDifference(3, -1000) / expected - 1, ROUNDING);
    assertSmall(exponential.dividedDifference(-1000, 3) / expected - 1, ROUNDING);
    assertThat(exponential.dividedDifference(-1000, -2000)).isZero();
  }

  @Test
  void whatIsBelowTheFloorHasNoSlopeOfItsOwn() {
    SpectralFunction log = SpectralFunction.logarithm(0.1);
    SpectralFunction rectifier = SpectralFunction.rectifier(0.1);
    for (double[] pair : new double[][] {{0.05, 0.05}, {-2, 0.1}, {0.1, 0.1}, {0, 1e-300}}) {
      assertThat(log.dividedDifference(pair[0], pair[1])).isZero();
      assertThat(rectifier.dividedDifference(pair[0], pair[1])).isZero();
    }
    // (log 0.3 − log 0.1) / (0.3 − (−0.1)), and (0.3 − 0.1) / 0.4
    assertSmall(log.dividedDifference(0.3, -0.1) - Math.log(3) / 0.4, ROUNDING);
    assertSmall(rectifier.dividedDifference(-0.1, 0.3) - 0.5, ROUNDING);
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY})
  void wantsFiniteMatrices(double value) {
    INDArray a = definite(2, 3).putScalar(10, value);
    assertThatThrownBy(() -> SymmetricEigen.of(a))
        .isInstanceOf(NotFiniteException.class)
        .hasMessage("matrices: expected a finite matrix, got NaN or infinity in it");
    INDArray single = Nd4j.create(DataType.DOUBLE, new long[] {3, 3}, 'f').putScalar(1, 2, value);
    assertThatThrownBy(() -> SymmetricEigen.valuesOf(single))
        .isInstanceOf(NotFiniteException.class);
    assertThatThrownBy(() -> SymmetricEigen.overwriteByVectors(single))
        .isInstanceOf(NotFiniteException.class);
  }

  /** Entries of about 1e160 are finite, though their squares are not. */
  @Test
  void largeMatricesAreDecomposed() {
    assumeTrue(
        Nd4j.getExecutioner().type() == ExecutionerType.NATIVE_CPU,
        "Jacobi's rotations overflow there, and no eigenvalues are found");
    double scale = 0x1p532;
    INDArray a = definite(2, 5);
    SymmetricEigen expected = SymmetricEigen.of(a);
    SymmetricEigen eigen = SymmetricEigen.of(a.mul(scale));
    INDArray ratios = eigen.values().div(scale).div(expected.values());
    assertClose(ratios, Nd4j.onesLike(ratios), 1e-12);
    assertClose(SpectralFunction.rectifier(-1e9).apply(eigen).div(scale), a, ROUNDING);
    assertClose(
        SymmetricEigen.valuesOf(a.slice(1).mul(scale)).div(scale),
        expected.values().slice(1),
        1e-12);
  }
}
