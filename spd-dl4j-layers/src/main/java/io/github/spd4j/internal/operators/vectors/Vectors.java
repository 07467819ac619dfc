/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.vectors;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The {@linkplain Triangle vector} of a symmetric matrix, {@linkplain VectorNormalization
 * normalised}.
 *
 * <p>{@link VectorsHost} and {@link VectorsBatch} compute it; {@link Triangle#define} and {@link
 * VectorNormalization#define} define it in SameDiff.
 */
public interface Vectors {

  /**
   * The way to compute them on a backend.
   *
   * @param backend the backend
   * @param type the type of the matrices
   * @param normalization how vectors are normalised
   * @return the operator
   */
  static Vectors on(Backend backend, DataType type, VectorNormalization normalization) {
    return backend.isFused(type)
        ? new VectorsHost(normalization)
        : new VectorsBatch(normalization, backend.algebra());
  }

  /**
   * The forward pass.
   *
   * @param matrices [N, n, n] in C order, not changed; only the upper triangle is read
   * @param vectors where [N, n(n+1)/2] go
   * @param saved what the backward pass needs
   */
  void forward(INDArray matrices, INDArray vectors, ForwardPass saved);

  /**
   * The backward pass of the last forward pass.
   *
   * @param gradient the gradient with respect to the vectors, in C order; not changed
   * @param matricesGradient where the symmetric gradient with respect to the matrices goes
   * @param saved what the forward pass kept
   */
  void backward(INDArray gradient, INDArray matricesGradient, ForwardPass saved);
}
