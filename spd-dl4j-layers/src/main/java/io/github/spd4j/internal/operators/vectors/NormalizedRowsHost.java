/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.vectors;

import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.Scratch;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.internal.backend.host.Workers;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@link NormalizedRows} for FLOAT arrays in the host's memory, in one pass over each vector. The
 * backward pass computes the roots again, which is cheaper than to keep them.
 */
final class NormalizedRowsHost implements NormalizedRows {

  private static final String RAW = "vectors";

  private final VectorNormalizationHost normalization;

  NormalizedRowsHost(VectorNormalization normalization) {
    this.normalization = new VectorNormalizationHost(normalization);
  }

  @Override
  public void forward(INDArray vectors, INDArray results, ForwardPass saved) {
    saved.keep(RAW, vectors);
    int length = (int) vectors.size(1);
    HostFloats from = new HostFloats(vectors);
    HostFloats to = new HostFloats(results);
    try (Scratch scratch = Scratch.shared()) {
      float[][] vector = scratch.heaps("vector", length);
      Workers.share(
          (int) vectors.size(0),
          (worker, first, end) -> {
            float[] u = vector[worker];
            for (int i = first; i < end; i++) {
              from.read((long) i * length, u, length);
              normalization.power(u, length);
              normalization.finish(u, length);
              to.write(u, (long) i * length, length);
            }
          });
    }
  }

  @Override
  public void backward(INDArray gradient, ForwardPass saved) {
    INDArray vectors = saved.get(RAW);
    int length = (int) vectors.size(1);
    HostFloats from = new HostFloats(vectors);
    HostFloats gradients = new HostFloats(gradient);
    try (Scratch scratch = Scratch.shared()) {
      float[][] vector = scratch.heaps("vector", length);
      float[][] other = scratch.heaps("other", length);
      Workers.share(
          (int) vectors.size(0),
          (worker, first, end) -> {
            float[] u = vector[worker];
            float[] g = other[worker];
            for (int i = first; i < end; i++) {
              from.read((long) i * length, u, length);
              normalization.power(u, length);
              gradients.read((long) i * length, g, length);
              normalization.backward(u, g, length);
              gradients.write(g, (long) i * length, length);
            }
          });
    }
  }
}
