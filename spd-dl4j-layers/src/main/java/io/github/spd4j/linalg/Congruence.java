/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@code Y = Wᵀ K W} for a stack of symmetric matrices, in arrays that the caller keeps.
 *
 * <p>Backward, with the symmetric part S of ∂L/∂Y: {@code ∂L/∂K = W (S Wᵀ)}, {@code ∂L/∂W = 2 Σ
 * (KW) S}. The products go image by image where the intermediate result then stays in the cache.
 */
public final class Congruence {

  private Congruence() {}

  /**
   * The forward pass.
   *
   * @param kernel K [N, C, C], not changed
   * @param w W [C, C'], not changed
   * @param kw where KW [N, C, C'] goes
   * @param y where Y [N, C', C'] goes
   */
  public static void forward(INDArray kernel, INDArray w, INDArray kw, INDArray y) {
    long images = kernel.size(0);
    long c = w.size(0);
    long p = w.size(1);
    Products.multiply(
        1, kernel.reshape(images * c, c), false, w, false, 0, kw.reshape(images * c, p));
    for (long i = 0; i < images; i++) {
      Products.upperTriangle(1, w, true, kw.slice(i), false, y.slice(i));
    }
    Squares.mirror(y);
  }

  /**
   * The backward pass.
   *
   * @param kw KW [N, C, C'], not changed
   * @param w W [C, C'], not changed
   * @param gradient ∂L/∂Y [N, C', C'], dense, not changed
   * @param byW where ∂L/∂W [C, C'] goes
   * @param byKernel where ∂L/∂K [N, C, C] goes
   * @param scratch for intermediate results
   */
  public static void backward(
      INDArray kw,
      INDArray w,
      INDArray gradient,
      INDArray byW,
      INDArray byKernel,
      Scratch scratch) {
    int images = (int) kw.size(0);
    long c = w.size(0);
    int p = (int) w.size(1);
    int together = Math.min(images, Workers.count());
    INDArray symmetric = scratch.array("symmetric", together, p, p);
    INDArray half = scratch.array("half", p, c);
    HostFloats from = new HostFloats(gradient);
    HostFloats to = new HostFloats(symmetric);
    for (int start = 0; start < images; start += together) {
      int first = start;
      int count = Math.min(together, images - first);
      Workers.share(count, (a, b) -> symmetricParts(from, first, to, a, b, p));
      for (int i = 0; i < count; i++) {
        INDArray s = symmetric.slice(i);
        Products.multiply(2, kw.slice(first + i), false, s, false, first + i == 0 ? 0 : 1, byW);
        Products.multiply(1, s, false, w, true, 0, half);
        Products.upperTriangle(1, w, false, half, false, byKernel.slice(first + i));
      }
    }
    Squares.mirror(byKernel);
  }

  private static void symmetricParts(
      HostFloats source, int first, HostFloats target, int from, int to, int n) {
    float[] matrix = new float[n * n];
    for (int i = from; i < to; i++) {
      source.read((long) (first + i) * matrix.length, matrix, matrix.length);
      Squares.addTransposed(matrix, n, 0.5f);
      target.write(matrix, (long) i * matrix.length, matrix.length);
    }
  }
}
