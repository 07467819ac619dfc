/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.orthonormal;

import io.github.spd4j.internal.backend.Scratch;
import io.github.spd4j.internal.backend.host.FloatMatrices;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.internal.backend.host.HostMatrix;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Optional;
import java.util.function.Function;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The orthonormal factors of a FLOAT matrix in the host's memory, by few products without the way
 * through ND4J's operations. Of symmetric matrices only the upper triangle is computed.
 */
final class FactorHost extends PolarIteration {

  /**
   * How many columns Q gets at once: few, since what a panel does to itself is slower than what it
   * does to the columns behind it.
   */
  private static final int PANEL = 64;

  private final Scratch scratch;
  private final int p;
  private final INDArray array;
  private final HostMatrix x;
  private final HostMatrix gram;

  /** The upper triangle of {@code E = XᵀX − I}; below it is whatever there was. */
  private final float[] excess;

  private FactorHost(INDArray start, Scratch scratch) {
    super(NumericPolicy.epsilon(DataType.FLOAT));
    this.scratch = scratch;
    p = start.columns();
    array = start;
    x = HostMatrix.of(start);
    gram = HostMatrix.of(scratch.array("gram", p, p));
    excess = scratch.heap("excess", p * p);
  }

  /**
   * Finds a factor.
   *
   * @param start X [n, p] in C order, n ≥ p, for which {@link HostFloats#isPossible} holds; changed
   * @param result which factor
   * @return what that gave
   */
  static <T> T of(INDArray start, Function<FactorHost, T> result) {
    try (Scratch scratch = Scratch.shared()) {
      return result.apply(new FactorHost(start, scratch));
    }
  }

  /**
   * Q of {@code X = QR} with a positive diagonal of R, a panel of columns at a time: the Cholesky
   * factor of a panel's own products makes it orthonormal, and what lies along it is taken from all
   * columns behind it. What rounding leaves of {@code QᵀQ − I} grows with X's condition, within a
   * panel with the square of its condition.
   *
   * @return Q [n, p], where X was; nothing if the condition is too bad for that, or X is not finite
   */
  Optional<INDArray> q() {
    int n = array.rows();
    for (int from = 0; from < p; from += PANEL) {
      int to = Math.min(p, from + PANEL);
      HostMatrix panel = x.block(0, n, from, to);
      HostMatrix r = gram.block(from, to, from, to);
      r.setProduct(1, panel.transposed(), panel.plain(), 0);
      if (!r.toCholeskyFactor() || !r.invertUpperTriangle()) {
        return Optional.empty();
      }
      panel.multiplyByUpperTriangle(r);
      if (to < p) {
        HostMatrix behind = x.block(0, n, to, p);
        HostMatrix along = gram.block(from, to, to, p);
        along.setProduct(1, panel.transposed(), behind.plain(), 0);
        behind.setProduct(-1, panel.plain(), along.plain(), 1);
      }
    }
    // Of R there are the inverses of the panels' own blocks, which are about as far from I.
    if (gram.distanceFromIdentity(1) <= NumericPolicy.WELL_CONDITIONED) {
      return Optional.of(array);
    }
    double error = computeExcess();
    if (!isNegligible(error * error)) {
      return Optional.empty();
    }
    linearStep();
    return Optional.of(array);
  }

  @Override
  INDArray x() {
    return array;
  }

  @Override
  double computeExcess() {
    gram.setUpperTriangleOfSquare(1, x.transposed());
    gram.read(excess);
    for (int i = 0; i < p; i++) {
      excess[i * p + i] -= 1;
    }
    return gram.distanceFromIdentity(2);
  }

  @Override
  void shrink() {
    FloatMatrices.mirror(excess, p);
    double largest = 0;
    for (int i = 0; i < p; i++) {
      double sum = 1; // XᵀX is E + I, and its diagonal is not negative
      for (int j = 0; j < p; j++) {
        sum += i == j ? excess[i * p + j] : Math.abs(excess[i * p + j]);
      }
      largest = Math.max(largest, sum);
    }
    array.divi(Math.sqrt(largest));
  }

  @Override
  void linearStep() {
    gram.write(excess);
    addProduct(-0.5f, gram);
  }

  @Override
  void quadraticStep() {
    FloatMatrices.mirror(excess, p);
    gram.write(excess);
    HostMatrix series = HostMatrix.of(scratch.array("series", p, p));
    series.setUpperTriangle(0.375f, gram.plain(), gram.plain());
    series.add(-0.5f, gram);
    addProduct(1, series);
  }

  private void addProduct(float alpha, HostMatrix symmetric) {
    HostMatrix before = HostMatrix.of(scratch.array("before", array.rows(), p));
    before.set(x);
    x.addSymmetricProduct(alpha, before, symmetric);
  }
}
