/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.SymmetricEigen;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.inverse.InvertMatrix;

/**
 * The parallel transport of the {@link BuresWassersteinMetric} along {@code A(t) = P A P}, {@code P
 * = (1 − t)I + tT}, which has no closed form. For {@code ξ = SA + AS}, with {@code K = (T − I)P⁻¹}
 * and the eigenvalues λ and vectors U of A(t),
 *
 * <pre>
 * S' = −(SK + KS) / 2 + U ((λ_i − λ_j) / 2(λ_i + λ_j) ∘ Uᵀ(SK − KS)U) Uᵀ
 * </pre>
 *
 * <p>T is diagonal here. Time goes so that no ratio of entries of P changes by more than e from one
 * panel to the next. In a panel all nodes are iterated together (Picard, Chebyshev).
 */
final class BuresTransport {

  /** Enough for all digits, of functions as smooth as these. */
  private static final int NODES = 20;

  private static final int MOST_ITERATIONS = 100;
  private static final double EXACT = 1e-15;

  /** The integrals from -1 to each node of the polynomials that are 1 at one node. */
  private static final double[][] INTEGRALS = integrals();

  private final double[] map;
  private final INDArray from;
  private final int n;
  private final double least;
  private final double largest;

  /**
   * The geodesic from A.
   *
   * @param map the eigenvalues of T, from the smallest on
   * @param from A [1, n, n], seen by the eigenvectors of T
   */
  BuresTransport(double[] map, INDArray from) {
    this.map = map;
    this.from = from;
    this.n = map.length;
    this.least = Math.min(1, map[0]);
    this.largest = Math.max(1, map[n - 1]);
  }

  /**
   * S at the end of the geodesic.
   *
   * @param start S at A [1, n, n], seen by the eigenvectors of T
   * @return [1, n, n], not finite if the matrices are too far apart
   */
  INDArray end(INDArray start) {
    double length = Math.log(largest / least);
    if (length == 0) {
      return start;
    }
    int panels = (int) Math.ceil(length);
    INDArray s = start;
    for (int i = 0; i < panels; i++) {
      s = panel(s, length * i / panels, length / panels);
    }
    return s;
  }

  private INDArray panel(INDArray start, double begin, double length) {
    INDArray factors = Nd4j.create(DataType.DOUBLE, NODES, n, 1);
    INDArray rates = Nd4j.create(DataType.DOUBLE, NODES, n, 1);
    for (int node = 0; node < NODES; node++) {
      double e = Math.exp(begin + length * (1 + chebyshev(1, node)) / 2);
      double divisor = largest - 1 - (least - 1) * e; // t = (e − 1) / divisor
      double slope = e * (largest - least) / divisor / divisor;
      for (int i = 0; i < n; i++) {
        double factor = (largest - least * e + (e - 1) * map[i]) / divisor;
        factors.putScalar(new int[] {node, i, 0}, factor);
        rates.putScalar(new int[] {node, i, 0}, slope * (map[i] - 1) / factor);
      }
    }
    SymmetricEigen points = SymmetricEigen.of(from.mul(factors).muli(Matrices.transpose(factors)));
    INDArray u = points.vectors();
    INDArray values = Nd4j.expandDims(points.values(), 2);
    INDArray others = Matrices.transpose(values);
    INDArray weights = values.sub(others).divi(values.add(others)).divi(2);
    INDArray otherRates = Matrices.transpose(rates);
    INDArray sums = rates.add(otherRates).divi(2);
    INDArray differences = otherRates.sub(rates);
    INDArray integrals = Nd4j.createFromArray(INTEGRALS).muli(length / 2);

    INDArray s = start.repeat(0, NODES);
    double change = Double.POSITIVE_INFINITY;
    for (int i = 0; i < MOST_ITERATIONS && change > EXACT; i++) {
      INDArray turned = Matrices.transposeFirst(u, s.mul(differences));
      turned = Matrices.product(turned, u).muli(weights);
      turned = Matrices.transposeSecond(Matrices.product(u, turned), u);
      INDArray slopes = Matrices.symmetricPart(turned).subi(s.mul(sums));
      INDArray next =
          integrals.mmul(slopes.reshape(NODES, (long) n * n)).reshape(NODES, n, n).addi(start);
      double before = change;
      change = next.distance2(s) / next.norm2Number().doubleValue();
      s = next;
      if (change < NODES * EXACT && !(change < before)) {
        break; // rounding is left
      }
    }
    return s.slice(NODES - 1).reshape(1, n, n).dup();
  }

  /** The value of a Chebyshev polynomial at a node, from -1 to 1. */
  private static double chebyshev(int degree, int node) {
    return Math.cos(degree * Math.PI * (NODES - 1 - node) / (NODES - 1));
  }

  private static double[][] integrals() {
    double[][] values = new double[NODES][NODES];
    double[][] integrals = new double[NODES][NODES];
    for (int node = 0; node < NODES; node++) {
      for (int degree = 0; degree < NODES; degree++) {
        values[node][degree] = chebyshev(degree, node);
        integrals[node][degree] = antiderivative(degree, node) - antiderivative(degree, 0);
      }
    }
    INDArray ofValues = InvertMatrix.invert(Nd4j.createFromArray(values), false);
    return Nd4j.createFromArray(integrals).mmul(ofValues).toDoubleMatrix();
  }

  private static double antiderivative(int degree, int node) {
    if (degree == 0) {
      return chebyshev(1, node);
    }
    double next = chebyshev(degree + 1, node) / (degree + 1);
    return degree == 1 ? next / 2 : (next - chebyshev(degree - 1, node) / (degree - 1)) / 2;
  }
}
