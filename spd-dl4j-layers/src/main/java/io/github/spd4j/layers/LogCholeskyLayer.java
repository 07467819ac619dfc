/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.operators.charts.Chart;
import io.github.spd4j.internal.operators.vectors.Triangle;
import io.github.spd4j.internal.runtime.Results;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import io.github.spd4j.linalg.Cholesky;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Turns a symmetric positive definite matrix into a vector by its Cholesky factor. It puts matrices
 * where a classifier belongs, as a {@link LogEigLayer} and an {@link SpdVectorizationLayer} do, but
 * without eigenvalues.
 *
 * <pre>
 * Y = LLᵀ,   output = [log L₁₁, L₂₁, log L₂₂, L₃₁, L₃₂, log L₃₃, …]
 * </pre>
 *
 * <p>Shapes: [N, 1, C, C] → [N, C(C+1)/2]. The Euclidean distance of two vectors is the
 * log-Cholesky distance of the matrices.
 *
 * <p>Paper: Lin, <i>Riemannian Geometry of Symmetric Positive Definite Matrices via Cholesky
 * Decomposition</i>, SIAM J. Matrix Anal. Appl. 2019, sections 3.1 and 3.2. Backward is {@link
 * Cholesky#backward}, in double precision.
 *
 * <p>When not to use it: for matrices that are singular, which it refuses; give the {@link
 * KernelAggregationLayer} a ridge, or put a {@link ReEigLayer} before it. The vector depends on the
 * order of the channels, where that of a logarithm is only permuted with them. It is not
 * normalised.
 */
public final class LogCholeskyLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  private static final Chart CHART = Chart.logCholesky();

  private LogCholeskyLayer(Builder builder) {
    super(builder);
  }

  private LogCholeskyLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return matrix(1);
  }

  @Override
  LayerOutput output() {
    return LayerOutput.VECTOR;
  }

  @Override
  long outputSize(long size) {
    return Triangle.length(Math.toIntExact(size));
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    int n = Math.toIntExact(input.getShape()[2]);
    return CHART.define(sd, sd.reshape(input, -1, n, n), n).castTo(input.dataType());
  }

  /** By LAPACK in double precision, on the CPU whatever the backend. */
  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new LogCholesky(conf, type, backend);
  }

  /** The passes of the layer. */
  private final class LogCholesky extends SpdRuntimeLayer {
    private static final long serialVersionUID = 1L;

    LogCholesky(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
    }

    @Override
    protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
      INDArray output = results.create(input.size(0), outputSize(input.size(2)));
      named(() -> output.assign(matrix(1).coordinates(CHART, input, saved)));
      return output;
    }

    @Override
    protected INDArray backward(
        INDArray gradient,
        Map<String, INDArray> paramGradients,
        ForwardPass saved,
        Results results) {
      INDArray result = results.create(saved.input().shape());
      INDArray byMatrices = CHART.backward(gradient.castTo(DataType.DOUBLE), saved);
      return result.assign(byMatrices.reshape(result.shape()));
    }
  }

  @Override
  long savedElements(InputType inputType) {
    long size = sizeOf(inputType);
    return 2 * size * size; // in double precision, twice as many
  }

  @Override
  public String toString() {
    return describe() + "(nIn=" + getNIn() + ")";
  }

  /** Builds a {@link LogCholeskyLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends SpdLayer.Builder<Builder> {

    /** A builder; the layer has no options. */
    public Builder() {}

    @Override
    public LogCholeskyLayer build() {
      return checked(new LogCholeskyLayer(this), this);
    }
  }
}
