/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.congruence;

import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.Scratch;
import io.github.spd4j.backend.host.HostFloats;
import io.github.spd4j.backend.host.HostMatrix;
import io.github.spd4j.backend.host.Squares;
import io.github.spd4j.backend.host.Workers;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@code Y = Wᵀ K W} for a stack of symmetric matrices, in arrays that the caller keeps.
 *
 * <p>Backward, with the symmetric part S of ∂L/∂Y: {@code ∂L/∂K = W (S Wᵀ)}, {@code ∂L/∂W = 2 Σ
 * (KW) S}. Each image is one thread's, from the first product to the last, so that what lies
 * between stays in its cache.
 */
public final class CongruenceHost {

  private final int images;
  private final int c;
  private final int p;
  private final HostFloats w;
  private final Scratch scratch;

  /**
   * For a batch.
   *
   * @param images the number of images
   * @param w W [C, C'], not changed
   * @param scratch keeps what the backward pass needs
   */
  public CongruenceHost(long images, INDArray w, Scratch scratch) {
    this.images = (int) images;
    this.c = (int) w.size(0);
    this.p = (int) w.size(1);
    this.w = new HostFloats(MatrixStack.inOrder(w));
    this.scratch = scratch;
  }

  /**
   * The forward pass.
   *
   * @param kernel K [N, C, C], dense, not changed
   * @param y where Y [N, C', C'] goes
   */
  public void forward(INDArray kernel, INDArray y) {
    HostFloats kernels = new HostFloats(kernel);
    HostFloats results = new HostFloats(y);
    HostFloats projected = projected();
    HostMatrix base = HostMatrix.of(w, 0, c, p);
    float[][] room = scratch.heaps("room", Math.max(c * c, p * p));
    Workers.shareProducts(
        images,
        (worker, from, to) -> {
          for (int i = from; i < to; i++) {
            HostMatrix kw = HostMatrix.of(projected, i, c, p);
            kw.setProduct(1, HostMatrix.of(kernels, i, c, c).plain(), base.plain(), 0);
            HostMatrix result = HostMatrix.of(results, i, p, p);
            result.setUpperTriangle(1, base.transposed(), kw.plain());
            result.mirror(room[worker]);
          }
        });
  }

  /** KW, which the backward pass needs too. */
  private HostFloats projected() {
    return new HostFloats(scratch.array("projected", images, c, p));
  }

  /**
   * The backward pass.
   *
   * @param gradient ∂L/∂Y [N, C', C'], dense, not changed
   * @param byW where ∂L/∂W [C, C'] goes
   * @param byKernel where ∂L/∂K [N, C, C] goes
   */
  public void backward(INDArray gradient, INDArray byW, INDArray byKernel) {
    HostFloats gradients = new HostFloats(gradient);
    HostFloats results = new HostFloats(byKernel);
    HostFloats projected = projected();
    HostMatrix base = HostMatrix.of(w, 0, c, p);
    int workers = Workers.count();
    INDArray sums = scratch.array("sums", workers, c, p);
    HostFloats byBase = new HostFloats(sums);
    HostFloats symmetric = new HostFloats(scratch.array("symmetric", workers, p, p));
    HostFloats half = new HostFloats(scratch.array("half", workers, p, c));
    float[][] room = scratch.heaps("room", Math.max(c * c, p * p));
    int parts =
        Workers.shareProducts(
            images,
            (worker, from, to) -> {
              HostMatrix s = HostMatrix.of(symmetric, worker, p, p);
              HostMatrix sw = HostMatrix.of(half, worker, p, c);
              HostMatrix sum = HostMatrix.of(byBase, worker, c, p);
              for (int i = from; i < to; i++) {
                HostMatrix.of(gradients, i, p, p).read(room[worker]);
                Squares.addTransposed(room[worker], p, 0.5f);
                s.write(room[worker]);
                HostMatrix kw = HostMatrix.of(projected, i, c, p);
                sum.setProduct(2, kw.plain(), s.plain(), i == from ? 0 : 1);
                sw.setProduct(1, s.plain(), base.transposed(), 0);
                HostMatrix result = HostMatrix.of(results, i, c, c);
                result.setUpperTriangle(1, base.plain(), sw.plain());
                result.mirror(room[worker]);
              }
            });
    byW.assign(sums.slice(0));
    for (int part = 1; part < parts; part++) {
      byW.addi(sums.slice(part));
    }
  }
}
