/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.congruence;

import io.github.spd4j.backend.Saved;
import io.github.spd4j.backend.Scratch;
import io.github.spd4j.backend.host.HostFloats;
import io.github.spd4j.backend.host.HostMatrix;
import io.github.spd4j.backend.host.Squares;
import io.github.spd4j.backend.host.Workers;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@link Congruence} for FLOAT arrays in the host's memory. Each image is one thread's, from the
 * first product to the last, so that what lies between stays in its cache.
 */
final class CongruenceHost implements Congruence {

  private static final String PROJECTED = "projected"; // KW [N, C, C']

  @Override
  public void forward(INDArray kernel, INDArray w, INDArray y, Saved saved) {
    int images = (int) kernel.size(0);
    int c = (int) w.size(0);
    int p = (int) w.size(1);
    HostFloats kernels = new HostFloats(kernel);
    HostFloats results = new HostFloats(y);
    HostFloats projected = new HostFloats(saved.keep(DataType.FLOAT, PROJECTED, images, c, p));
    HostMatrix base = HostMatrix.of(w);
    float[][] buffer = squares(c, saved.scratch());
    Workers.shareProducts(
        images,
        (worker, from, to) -> {
          for (int i = from; i < to; i++) {
            HostMatrix kw = HostMatrix.of(projected, i, c, p);
            kw.setProduct(1, HostMatrix.of(kernels, i, c, c).plain(), base.plain(), 0);
            HostMatrix result = HostMatrix.of(results, i, p, p);
            result.setUpperTriangle(1, base.transposed(), kw.plain());
            result.mirror(buffer[worker]);
          }
        });
  }

  /** Room for a matrix C×C, and so for one C'×C', which is not larger. */
  private static float[][] squares(int c, Scratch scratch) {
    return scratch.heaps("buffer", c * c);
  }

  @Override
  public void backward(
      INDArray gradient, INDArray w, INDArray wGradient, INDArray kernelGradient, Saved saved) {
    int images = (int) gradient.size(0);
    int c = (int) w.size(0);
    int p = (int) w.size(1);
    HostFloats gradients = new HostFloats(gradient);
    HostFloats results = new HostFloats(kernelGradient);
    HostFloats projected = new HostFloats(saved.get(PROJECTED));
    HostMatrix base = HostMatrix.of(w);
    Scratch scratch = saved.scratch();
    int workers = Workers.count();
    INDArray sums = scratch.array("sums", workers, c, p);
    HostFloats byBase = new HostFloats(sums);
    HostFloats symmetric = new HostFloats(scratch.array("symmetric", workers, p, p));
    HostFloats half = new HostFloats(scratch.array("half", workers, p, c));
    float[][] buffer = squares(c, scratch);
    int parts =
        Workers.shareProducts(
            images,
            (worker, from, to) -> {
              HostMatrix s = HostMatrix.of(symmetric, worker, p, p);
              HostMatrix sw = HostMatrix.of(half, worker, p, c);
              HostMatrix sum = HostMatrix.of(byBase, worker, c, p);
              for (int i = from; i < to; i++) {
                HostMatrix.of(gradients, i, p, p).read(buffer[worker]);
                Squares.addTransposed(buffer[worker], p, 0.5f);
                s.write(buffer[worker]);
                HostMatrix kw = HostMatrix.of(projected, i, c, p);
                sum.setProduct(2, kw.plain(), s.plain(), i == from ? 0 : 1);
                sw.setProduct(1, s.plain(), base.transposed(), 0);
                HostMatrix result = HostMatrix.of(results, i, c, c);
                result.setUpperTriangle(1, base.plain(), sw.plain());
                result.mirror(buffer[worker]);
              }
            });
    wGradient.assign(sums.slice(0));
    for (int part = 1; part < parts; part++) {
      wGradient.addi(sums.slice(part));
    }
  }
}
