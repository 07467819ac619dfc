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
 * {@link VectorNormalization} of vectors that are there already, one a row.
 *
 * <p>{@link NormalizedRowsHost} and {@link NormalizedRowsBatch} compute it.
 */
public interface NormalizedRows {

  /**
   * The way to compute them on a backend.
   *
   * @param backend the backend
   * @param type the type of the vectors
   * @param normalization how vectors are normalised
   * @return the operator
   */
  static NormalizedRows on(Backend backend, DataType type, VectorNormalization normalization) {
    return backend.isFused(type)
        ? new NormalizedRowsHost(normalization)
        : new NormalizedRowsBatch(normalization, backend.algebra());
  }

  /**
   * The forward pass.
   *
   * @param vectors v [N, length] in C order, which is kept and may be overwritten
   * @param results where the normalised vectors go
   * @param saved what the backward pass needs
   */
  void forward(INDArray vectors, INDArray results, ForwardPass saved);

  /**
   * The backward pass of the last forward pass.
   *
   * @param gradient the gradient with respect to the results, in C order; replaced by that with
   *     respect to v
   * @param saved what the forward pass kept
   */
  void backward(INDArray gradient, ForwardPass saved);
}
