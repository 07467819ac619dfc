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
 * The power of a symmetric positive definite matrix with any exponent, by its eigenvalues.
 *
 * <pre>
 * X = U diag(λ) Uᵀ  →  U diag(max(λ, ε)^α) Uᵀ
 * </pre>
 *
 * <p>Shapes: [N, 1, C, C] → [N, 1, C, C]. An eigenvalue that is negative or below ε counts as ε,
 * and has no gradient; an {@link io.github.spd4j.listeners.SpdHealthListener} counts them.
 *
 * <p>Paper: Li, Xie, Wang, Zuo, <i>Is Second-order Information Helpful for Large-scale Visual
 * Recognition?</i> (MPN-COV), ICCV 2017, with α = ½. Backward is that of {@link SpectralFunction}:
 * exact for repeated eigenvalues, where the paper's divides by zero, and in double precision.
 *
 * <p>When not to use it: for the square root of matrices of more than a hundred rows take a {@link
 * MatrixSquareRootLayer}, whose iterations are products alone; an eigendecomposition costs about
 * 10·C³ operations on one core. With α below 1 the slope at small eigenvalues is large, up to
 * α·ε^(α−1).
 */
public final class MatrixPowerLayer extends EigenvalueLayer {

  private static final long serialVersionUID = 1L;

  private double exponent;

  private MatrixPowerLayer(Builder builder) {
    super(builder);
    this.exponent = builder.exponent;
  }

  @Override
  void requireSound() {
    super.requireSound();
    if (!Double.isFinite(exponent) || exponent == 0) {
      throw invalidConfig("a finite exponent other than 0", "exponent = " + exponent);
    }
  }

  private MatrixPowerLayer() {} // for Jackson

  /**
   * The exponent.
   *
   * @return α
   */
  public double getExponent() {
    return exponent;
  }

  @Override
  SpectralFunction function() {
    return SpectralFunction.power(exponent, getFloor());
  }

  @Override
  String options() {
    return ", exponent=" + exponent;
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new Eigenvalues(conf, type, backend, this, function()) { // its name is in summaries
      private static final long serialVersionUID = 1L;
    };
  }

  /** Builds a {@link MatrixPowerLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends EigenvalueLayer.Builder<Builder> {

    private double exponent = 0.5;

    /** A builder for the square root, with the default floor. */
    public Builder() {}

    /**
     * The exponent.
     *
     * @param alpha α, such as ¼ or ½; not 0, and ½ unless set
     * @return this builder
     */
    public Builder exponent(double alpha) {
      this.exponent = alpha;
      return this;
    }

    @Override
    public MatrixPowerLayer build() {
      return checked(new MatrixPowerLayer(this), this);
    }
  }
}
