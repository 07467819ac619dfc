/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.charts;

import io.github.spd4j.backend.Definitions;
import io.github.spd4j.backend.host.HostDoubles;
import java.util.Arrays;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The isometry between triangles of matrices [N, n, n] and vectors [N, n(n+1)/2]: of symmetric
 * matrices the upper one, with √2 off the diagonal, of lower triangles themselves. An isometry is
 * the inverse of its adjoint: {@link #unpack} is both.
 */
final class Triangle {

  private final int n;

  /** For each place of a matrix, row by row, its place in the vector; none: −1. */
  private final int[] sources;

  private final double[] weights;

  /** For each place of a vector, its place in the matrix. */
  private final int[] places;

  private Triangle(int n, boolean symmetric) {
    this.n = n;
    this.sources = new int[n * n];
    this.weights = new double[Chart.length(n)];
    this.places = new int[Chart.length(n)];
    Arrays.fill(sources, -1);
    int next = 0;
    for (int row = 0; row < n; row++) {
      for (int column = symmetric ? row : 0; column < (symmetric ? n : row + 1); column++) {
        places[next] = row * n + column;
        weights[next] = symmetric && row != column ? Math.sqrt(2) : 1;
        sources[places[next]] = next;
        if (symmetric) {
          sources[column * n + row] = next;
        }
        next++;
      }
    }
  }

  /** That of symmetric n×n matrices. */
  static Triangle symmetric(int n) {
    return new Triangle(n, true);
  }

  /** That of lower triangles of n rows. */
  static Triangle lower(int n) {
    return new Triangle(n, false);
  }

  INDArray pack(INDArray matrices) {
    double[] from = HostDoubles.of(matrices);
    int images = Math.toIntExact(matrices.size(0));
    int length = places.length;
    double[] vectors = new double[images * length];
    for (int i = 0; i < images; i++) {
      for (int k = 0; k < length; k++) {
        vectors[i * length + k] = weights[k] * from[i * n * n + places[k]];
      }
    }
    return Nd4j.createFromArray(vectors).reshape(images, length);
  }

  INDArray unpack(INDArray vectors) {
    double[] from = HostDoubles.of(vectors);
    int images = Math.toIntExact(vectors.size(0));
    double[] matrices = new double[images * n * n];
    for (int i = 0; i < images; i++) {
      for (int place = 0; place < n * n; place++) {
        int source = sources[place];
        matrices[i * n * n + place] =
            source < 0 ? 0 : from[i * places.length + source] / weights[source];
      }
    }
    return Nd4j.createFromArray(matrices).reshape(images, n, n);
  }

  /** By sums: SameDiff has a gradient of them, and none of reading at places. */
  SDVariable definePack(SameDiff sd, SDVariable matrices) {
    int[] to = new int[n * n];
    double[][] factors = new double[1][n * n];
    for (int place = 0; place < n * n; place++) {
      to[place] = Math.max(0, sources[place]);
      factors[0][place] = sources[place] < 0 ? 0 : 1 / weights[sources[place]];
    }
    SDVariable flat = sd.reshape(matrices, -1, (long) n * n);
    SDVariable weighted = flat.mul(sd.constant(Nd4j.createFromArray(factors)));
    return Definitions.sums(sd, weighted, Nd4j.createFromArray(to), weights.length);
  }

  SDVariable defineUnpack(SameDiff sd, SDVariable vectors) {
    int[] from = new int[n * n];
    double[][] factors = new double[1][n * n];
    for (int place = 0; place < n * n; place++) {
      from[place] = Math.max(0, sources[place]);
      factors[0][place] = sources[place] < 0 ? 0 : 1 / weights[sources[place]];
    }
    SDVariable flat = sd.gather(vectors, sd.constant(Nd4j.createFromArray(from)), 1);
    return sd.reshape(flat.mul(sd.constant(Nd4j.createFromArray(factors))), -1, n, n);
  }
}
