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
 * Raises the small eigenvalues of a symmetric matrix to a floor: the nonlinearity between two
 * transforms that keeps a matrix positive definite.
 *
 * <pre>
 * X = U diag(λ) Uᵀ  →  U diag(max(λ, ε)) Uᵀ
 * </pre>
 *
 * <p>Shapes: [N, 1, C, C] → [N, 1, C, C].
 *
 * <p>Paper: Huang, Van Gool, <i>A Riemannian Network for SPD Matrix Learning</i> (SPDNet), AAAI
 * 2017, "ReEig layer", with ε = 10⁻⁴. Backward is that of {@link SpectralFunction}, which unlike
 * the paper's formula is right for repeated eigenvalues; an eigenvalue that was raised has the
 * slope 0.
 *
 * <p>When not to use it: an eigendecomposition a matrix costs about 10·C³ operations on one core;
 * above a hundred channels put an {@link SpdTransformLayer} before it. Where no eigenvalue is below
 * ε it does nothing, and with every eigenvalue below it nothing is left. A {@link Rectifier} of
 * entries is far cheaper, but its output may be indefinite.
 */
public final class ReEigLayer extends EigenvalueLayer {

  private static final long serialVersionUID = 1L;

  private ReEigLayer(Builder builder) {
    super(builder);
  }

  private ReEigLayer() {} // for Jackson

  @Override
  SpectralFunction function() {
    return SpectralFunction.rectifier(getFloor());
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new Eigenvalues(conf, type, backend, this, function()) { // its name is in summaries
      private static final long serialVersionUID = 1L;
    };
  }

  /** Builds a {@link ReEigLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends EigenvalueLayer.Builder<Builder> {

    /** A builder with the default floor. */
    public Builder() {}

    @Override
    public ReEigLayer build() {
      return checked(new ReEigLayer(this), this);
    }
  }
}
