/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import io.github.spd4j.linalg.SpectralFunction;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.nd4j.linalg.api.buffer.DataType;

/**
 * Takes the logarithm of a symmetric positive definite matrix, into the flat space of symmetric
 * matrices where a classifier belongs (the Log-Euclidean metric).
 *
 * <pre>
 * X = U diag(λ) Uᵀ  →  U diag(log max(λ, ε)) Uᵀ
 * </pre>
 *
 * <p>Shapes: [N, 1, C, C] → [N, 1, C, C]. An eigenvalue that is negative or below ε counts as ε,
 * and has no gradient; an {@link io.github.spd4j.listeners.SpdHealthListener} counts them.
 *
 * <p>Paper: Huang, Van Gool, <i>A Riemannian Network for SPD Matrix Learning</i> (SPDNet), AAAI
 * 2017, "LogEig layer"; the metric is that of Arsigny, Fillard, Pennec and Ayache. Backward is that
 * of {@link SpectralFunction}, which unlike the paper's formula is right for repeated eigenvalues.
 * SPDNet is {@link SpdTransformLayer} → {@link ReEigLayer} → … → this layer → {@link
 * SpdVectorizationLayer} without power normalisation.
 *
 * <p>When not to use it: where many eigenvalues are at the floor, as with more channels than pixels
 * and a covariance kernel; give the {@link KernelAggregationLayer} a ridge, which all of them
 * share. The slope of the logarithm is 1/λ, up to 1/ε, so small eigenvalues speak loudest. An
 * eigendecomposition a matrix costs about 10·C³ operations on one core; above a hundred channels
 * put an {@link SpdTransformLayer} before it, or take a {@link MatrixSquareRootLayer} instead.
 */
public final class LogEigLayer extends EigenvalueLayer {

  private static final long serialVersionUID = 1L;

  private LogEigLayer(Builder builder) {
    super(builder);
  }

  private LogEigLayer() {} // for Jackson

  @Override
  SpectralFunction function() {
    return SpectralFunction.logarithm(getFloor());
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new Eigenvalues(conf, type, backend, this, function()) { // its name is in summaries
      private static final long serialVersionUID = 1L;
    };
  }

  /** Builds a {@link LogEigLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends EigenvalueLayer.Builder<Builder> {

    /** A builder with the default floor. */
    public Builder() {}

    @Override
    public LogEigLayer build() {
      return checked(new LogEigLayer(this), this);
    }
  }
}
