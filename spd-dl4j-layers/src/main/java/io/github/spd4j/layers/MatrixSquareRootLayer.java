/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.operators.root.Root;
import io.github.spd4j.internal.operators.root.RootGraph;
import io.github.spd4j.internal.runtime.Results;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Takes the square root of a symmetric positive semidefinite matrix, by products alone.
 *
 * <pre>
 * Y₀ = Σ / tr Σ,  Z₀ = I
 * T = (3I − Z Y) / 2,  Y ← Y T,  Z ← T Z          N times
 * output = √(tr Σ) · Y  ≈  Σ^½
 * </pre>
 *
 * <p>Shapes: [N, 1, C, C] → [N, 1, C, C]. A matrix of zeros, such as the covariance of maps that
 * are constant, becomes zero and has no gradient. One with negative eigenvalues that show in the
 * result is refused.
 *
 * <p>Paper: Li, Xie, Wang, Gao, <i>Towards Faster Training of Global Covariance Pooling Networks by
 * Iterative Matrix Square Root Normalization</i> (iSQRT-COV), CVPR 2018, section 3:
 * pre-normalisation by the trace, Newton–Schulz iterations, post-compensation, and their backward
 * pass. Its head is a {@link KernelAggregationLayer} with a {@link
 * io.github.spd4j.kernel.CovarianceKernel}, this layer, and an {@link SpdVectorizationLayer}
 * without normalisations. Backward is the derivative of exactly these iterations, see {@link Root}.
 *
 * <p>When not to use it: after a {@link Rectifier#RELU}, whose output may have negative
 * eigenvalues; they grow from step to step, and {@link ReEigLayer} would remove them. Small
 * eigenvalues come out too small: with five iterations one of a share of 0.1 of the trace reaches
 * 99.7 % of its root, one of 0.01 66 %, one of 0.001 24 %. Where that matters, take more of them.
 * Every iteration keeps 3·C² numbers an image for the backward pass and takes three products of C×C
 * matrices, in the backward pass six.
 */
public final class MatrixSquareRootLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  /** The number of iterations unless set, the paper's. */
  public static final int DEFAULT_ITERATIONS = 5;

  private int iterations;

  private MatrixSquareRootLayer(Builder builder) {
    super(builder);
    this.iterations = builder.iterations;
  }

  @Override
  void requireSound() {
    if (iterations < 1) {
      throw invalidConfig("at least 1 iteration", "iterations = " + iterations);
    }
  }

  private MatrixSquareRootLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return matrix(1);
  }

  @Override
  LayerOutput output() {
    return LayerOutput.MATRIX;
  }

  /**
   * The number of Newton–Schulz iterations.
   *
   * @return N
   */
  public int getIterations() {
    return iterations;
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    long size = input.getShape()[2];
    SDVariable matrices = sd.reshape(input, -1, size, size);
    SDVariable roots = RootGraph.define(sd, matrices, size, iterations);
    return sd.reshape(roots, -1, 1, size, size);
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new SquareRoot(conf, type, backend);
  }

  /** The passes of the layer. */
  private final class SquareRoot extends SpdRuntimeLayer {
    private static final long serialVersionUID = 1L;

    private final transient Root operator;

    SquareRoot(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
      this.operator = Root.on(backend, type, iterations);
    }

    @Override
    protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
      INDArray output = results.create(input.shape());
      named(() -> operator.forward(matrices(input), matrices(output), saved));
      return output;
    }

    @Override
    protected INDArray backward(
        INDArray gradient,
        Map<String, INDArray> paramGradients,
        ForwardPass saved,
        Results results) {
      INDArray result = results.create(saved.input().shape());
      operator.backward(matrices(gradient), matrices(result), saved);
      return result;
    }
  }

  @Override
  long savedElements(InputType inputType) {
    long size = sizeOf(inputType);
    return 3L * iterations * size * size;
  }

  @Override
  public String toString() {
    return describe() + "(nIn=" + getNIn() + ", iterations=" + iterations + ")";
  }

  /** Builds a {@link MatrixSquareRootLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends SpdLayer.Builder<Builder> {
    private int iterations = DEFAULT_ITERATIONS;

    /** A builder with the paper's number of iterations. */
    public Builder() {}

    /**
     * The number of Newton–Schulz iterations, {@value MatrixSquareRootLayer#DEFAULT_ITERATIONS}
     * unless set.
     *
     * @param number N, at least 1
     * @return this builder
     */
    public Builder iterations(int number) {
      this.iterations = number;
      return this;
    }

    @Override
    public MatrixSquareRootLayer build() {
      return checked(new MatrixSquareRootLayer(this), this);
    }
  }
}
