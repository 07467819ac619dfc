/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.congruence;

import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.Scratch;
import io.github.spd4j.internal.backend.host.FloatMatrices;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.internal.backend.host.HostMatrix;
import io.github.spd4j.internal.backend.host.Workers;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@link Congruence} for FLOAT arrays in the host's memory. Each image is one thread's, from the
 * first product to the last, so that what lies between stays in its cache.
 */
final class CongruenceHost implements Congruence {

  private static final String PROJECTED = "projected"; // KW [N, C, C']

  @Override
  public void forward(INDArray kernel, INDArray w, INDArray y, ForwardPass saved) {
    int images = (int) kernel.size(0);
    int c = (int) w.size(0);
    int p = (int) w.size(1);
    HostFloats kernels = new HostFloats(kernel);
    HostFloats results = new HostFloats(y);
    boolean training = saved.isTraining();
    try (Scratch scratch = Scratch.shared()) {
      HostFloats projected =
          new HostFloats(
              training
                  ? saved.keep(DataType.FLOAT, PROJECTED, images, c, p)
                  : scratch.array(PROJECTED, Workers.count(), c, p));
      float[][] buffer = scratch.heaps("matrix", c * c);
      HostMatrix transposed = HostMatrix.of(scratch.array("transposed", p, c));
      transposed.setTransposed(HostMatrix.of(w), buffer[0], scratch.heap("whole", c * p));
      Workers.shareProducts(
          images,
          (worker, from, to) -> {
            for (int i = from; i < to; i++) {
              HostMatrix kw = HostMatrix.of(projected, training ? i : worker, c, p);
              kw.setProduct(1, HostMatrix.of(kernels, i, c, c).plain(), transposed.transposed(), 0);
              HostMatrix result = HostMatrix.of(results, i, p, p);
              result.setUpperTriangle(1, transposed.plain(), kw.plain());
              result.mirror(buffer[worker]);
            }
          });
    }
  }

  /**
   * S lies where ∂L/∂K goes until that is computed, and WS where KW was kept. Being symmetric, it
   * is taken as a transpose, as is W: products whose second factor is one are the fastest.
   */
  @Override
  public void backward(
      INDArray gradient,
      INDArray w,
      INDArray wGradient,
      INDArray kernelGradient,
      ForwardPass saved) {
    int images = (int) gradient.size(0);
    int c = (int) w.size(0);
    int p = (int) w.size(1);
    HostFloats gradients = new HostFloats(gradient);
    HostFloats results = new HostFloats(kernelGradient);
    HostFloats projected = new HostFloats(saved.get(PROJECTED));
    HostMatrix base = HostMatrix.of(w);
    int workers = Workers.count();
    try (Scratch scratch = Scratch.shared()) {
      INDArray sums = scratch.array("sums", workers, c, p);
      HostFloats byBase = new HostFloats(sums);
      float[][] buffer = scratch.heaps("matrix", c * c);
      int parts =
          Workers.shareProducts(
              images,
              (worker, from, to) -> {
                HostMatrix own = HostMatrix.of(byBase, worker, c, p);
                for (int i = from; i < to; i++) {
                  HostMatrix.of(gradients, i, p, p).read(buffer[worker]);
                  FloatMatrices.addTransposed(buffer[worker], p, 0.5f);
                  HostMatrix result = HostMatrix.of(results, i, c, c);
                  HostMatrix s = result.start(p, p);
                  s.write(buffer[worker]);
                  HostMatrix kw = HostMatrix.of(projected, i, c, p);
                  own.setProduct(2, kw.plain(), s.transposed(), i == from ? 0 : 1);
                  HostMatrix ws = kw;
                  ws.setProduct(1, base.plain(), s.transposed(), 0);
                  result.setUpperTriangle(1, ws.plain(), base.transposed());
                  result.mirror(buffer[worker]);
                }
              });
      HostMatrix sum = HostMatrix.of(byBase, 0, c, p);
      for (int part = 1; part < parts; part++) {
        sum.add(1, HostMatrix.of(byBase, part, c, p));
      }
      wGradient.assign(sums.slice(0));
    }
  }
}
