/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.operators.vectors.Triangle;
import io.github.spd4j.internal.operators.vectors.Vectors;
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
 * Turns a symmetric matrix into a normalised vector for a classifier.
 *
 * <pre>
 * v = [Y₁₁, √2 Y₁₂, …, √2 Y₁ₙ, Y₂₂, √2 Y₂₃, …, Yₙₙ]
 * u = v / (φ + √(|v| + φ²))          power normalisation: sign(v) (√(|v| + φ²) − φ)
 * z = u / ‖u‖                        l2 normalisation
 * output = scale · z
 * </pre>
 *
 * <p>Shapes: [N, 1, C', C'] → [N, C'(C'+1)/2].
 *
 * <p>Paper: Gao, Wu, Bu, Jia, section "Vectorization layer", Eq. {@code vectorization}. √2 makes
 * ‖v‖ the Frobenius norm of Y. The paper's power normalisation is {@code sign(v) √|v|}, whose slope
 * is infinite at 0; here it is at most 1/(2φ), with the {@linkplain VectorLayer.Builder#powerFloor
 * floor} φ. Backward gives a symmetric ∂L/∂Y: a gradient g of an entry off the diagonal becomes
 * g/√2 on both sides.
 *
 * <p>When not to use it: the vectors of kernel matrices of different images are nearly parallel, so
 * a classifier on unit vectors learns slowly at common learning rates and is held down by weight
 * decay; a {@link VectorLayer.Builder#scale scale} of about 10 mends both. Where a tangent space is
 * wanted (LogEuclidean heads), take the logarithm before it and switch the power normalisation off.
 */
public final class SpdVectorizationLayer extends VectorLayer {

  private static final long serialVersionUID = 1L;

  private SpdVectorizationLayer(Builder builder) {
    super(builder);
  }

  private SpdVectorizationLayer() {} // for Jackson

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
    SDVariable triangle = Triangle.symmetric(n).define(sd, input);
    return normalization().define(sd, triangle, Triangle.length(n));
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new Vectorization(conf, type, backend);
  }

  /** The passes of the layer. */
  private final class Vectorization extends SpdRuntimeLayer {
    private static final long serialVersionUID = 1L;

    private final transient Vectors operator;
    private final transient Algebra algebra;

    Vectorization(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
      this.operator = Vectors.on(backend, type, normalization());
      this.algebra = backend.algebra();
    }

    @Override
    protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
      int n = Math.toIntExact(input.size(2));
      INDArray output = results.create(input.size(0), Triangle.length(n));
      operator.forward(matrices(input), output, saved);
      if (!(saved.isTraining() && algebra.isOnDevice())) {
        // Divided by its norm, a vector with NaN is NaN everywhere.
        finiteInput(algebra, output, isL2Normalization() ? output.size(1) : 1).run();
      }
      return output;
    }

    @Override
    protected INDArray backward(
        INDArray gradient,
        Map<String, INDArray> paramGradients,
        ForwardPass saved,
        Results results) {
      INDArray result = results.create(saved.input().shape());
      operator.backward(MatrixStack.inOrder(gradient), matrices(result), saved);
      return result;
    }
  }

  @Override
  long savedElements(InputType inputType) {
    return normalization().saved().size() * (long) Triangle.length(sizeOf(inputType));
  }

  @Override
  public String toString() {
    return describe() + "(nIn=" + getNIn() + ", " + normalization() + ")";
  }

  /** Builds an {@link SpdVectorizationLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends VectorLayer.Builder<Builder> {

    /** A builder with both normalisations on. */
    public Builder() {}

    @Override
    public SpdVectorizationLayer build() {
      return checked(new SpdVectorizationLayer(this), this);
    }
  }
}
