/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.runtime.Results;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import io.github.spd4j.linalg.SpectralFunction;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Takes the exponential of a symmetric matrix: what leads back from logarithms to positive definite
 * matrices.
 *
 * <pre>
 * X = U diag(λ) Uᵀ  →  U diag(e^λ) Uᵀ
 * </pre>
 *
 * <p>Shapes: [N, 1, C, C] → [N, 1, C, C]. An eigenvalue whose exponential the data type cannot
 * hold, above 88 in FLOAT, is refused.
 *
 * <p>With two {@link LogEigLayer}s and DL4J's {@code ElementWiseVertex} it makes a residual
 * connection, {@code exp(log X + log Y)}, as spd_learn's {@code LogEuclideanResidual}:
 *
 * <pre>
 * .addLayer("logX", new LogEigLayer.Builder().build(), "x")
 * .addLayer("logY", new LogEigLayer.Builder().build(), "y")
 * .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "logX", "logY")
 * .addLayer("residual", new ExpEigLayer.Builder().build(), "sum")
 * </pre>
 *
 * <p>Paper: Arsigny, Fillard, Pennec, Ayache, <i>Geometric Means in a Novel Vector Space Structure
 * on Symmetric Positive-Definite Matrices</i>, 2007, section 3; residuals are those of Katsman and
 * others, <i>Riemannian Residual Neural Networks</i>, NeurIPS 2023. Backward is that of {@link
 * SpectralFunction}.
 *
 * <p>When not to use it: where a {@link LogEigLayer} comes next, which would undo it; there the sum
 * of the logarithms is all that is needed.
 */
public final class ExpEigLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  private ExpEigLayer(Builder builder) {
    super(builder);
  }

  private ExpEigLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return matrix(1);
  }

  @Override
  LayerOutput output() {
    return LayerOutput.MATRIX;
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    return EigenvalueLayer.define(sd, input, SpectralFunction.exponential());
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    SpectralFunction function = SpectralFunction.exponential();
    return new EigenvalueLayer.Eigenvalues(conf, type, backend, this, function) {
      private static final long serialVersionUID = 1L;

      @Override
      protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
        INDArray output = super.forward(input, saved, results);
        requireFinite(
            output, "its output", "; the exponential of an eigenvalue of its input is too large");
        return output;
      }
    };
  }

  @Override
  long savedElements(InputType inputType) {
    return EigenvalueLayer.savedElements(sizeOf(inputType));
  }

  @Override
  public String toString() {
    return describe() + "(nIn=" + getNIn() + ")";
  }

  /** Builds an {@link ExpEigLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends SpdLayer.Builder<Builder> {

    /** A builder; the layer has no options. */
    public Builder() {}

    @Override
    public ExpEigLayer build() {
      return checked(new ExpEigLayer(this), this);
    }
  }
}
