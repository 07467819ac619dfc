/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.backend.Backend;
import io.github.spd4j.backend.Saved;
import io.github.spd4j.layers.runtime.Passes;
import io.github.spd4j.layers.runtime.SpdRuntimeLayer;
import io.github.spd4j.linalg.Cholesky;
import io.github.spd4j.operators.vectors.UpperTriangle;
import java.util.Map;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

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
public final class LogCholeskyLayer extends SpdMatrixLayer {

  private static final long serialVersionUID = 1L;

  private static final String FACTORS = "factors";

  private LogCholeskyLayer(Builder builder) {
    super(builder);
  }

  private LogCholeskyLayer() {} // for Jackson

  @Override
  long outputSize(long size) {
    return UpperTriangle.length(Math.toIntExact(size));
  }

  @Override
  public InputType getOutputType(int layerIndex, InputType inputType) {
    return InputType.feedForward(outputSize(checkedSizeOf(inputType)));
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    int n = Math.toIntExact(input.getShape()[2]);
    SDVariable matrices = sd.reshape(input, -1, n, n).castTo(DataType.DOUBLE);
    SDVariable factors = sd.linalg().cholesky(matrices);
    SDVariable identity = sd.constant(Nd4j.eye(n).castTo(DataType.DOUBLE).reshape(1, n, n));
    SDVariable positive = factors.mul(identity).add(identity.rsub(1)); // ones off the diagonal
    SDVariable coordinates = factors.sub(factors.mul(identity)).add(sd.math().log(positive));
    SDVariable flat = sd.reshape(coordinates, -1, n * n);
    SDVariable places = sd.constant(Nd4j.createFromArray(places(n)));
    return sd.gather(flat, places, 1).castTo(input.dataType());
  }

  /** Where the entries of the vector lie in a matrix, row by row. */
  private static int[] places(int n) {
    int[] places = new int[UpperTriangle.length(n)];
    int next = 0;
    for (int row = 0; row < n; row++) {
      for (int column = 0; column <= row; column++) {
        places[next++] = row * n + column;
      }
    }
    return places;
  }

  /** By LAPACK in double precision, on the CPU whatever the backend. */
  @Override
  public Passes passes(Backend backend, DataType type) {
    return new Passes() {
      @Override
      public INDArray forward(INDArray input, Saved saved, Results results) {
        INDArray matrices = matrices(input);
        int n = Math.toIntExact(matrices.size(1));
        INDArray output = results.create(matrices.size(0), UpperTriangle.length(n));
        named(
            () -> {
              INDArray factors = factors(matrices);
              saved.keep(FACTORS, factors);
              double[] entries = factors.data().asDouble();
              double[][] vectors = new double[(int) matrices.size(0)][UpperTriangle.length(n)];
              int[] places = places(n);
              for (int i = 0; i < vectors.length; i++) {
                for (int k = 0; k < places.length; k++) {
                  double entry = entries[i * n * n + places[k]];
                  vectors[i][k] = isOnDiagonal(places[k], n) ? Math.log(entry) : entry;
                }
              }
              output.assign(Nd4j.createFromArray(vectors));
            });
        return output;
      }

      @Override
      public INDArray backward(
          INDArray gradient, Map<String, INDArray> paramGradients, Saved saved, Results results) {
        INDArray factors = saved.get(FACTORS);
        int n = Math.toIntExact(factors.size(1));
        double[] entries = factors.dup('c').data().asDouble();
        double[][] vectors = gradient.castTo(DataType.DOUBLE).toDoubleMatrix();
        double[] byFactors = new double[entries.length];
        int[] places = places(n);
        for (int i = 0; i < vectors.length; i++) {
          for (int k = 0; k < places.length; k++) {
            int place = i * n * n + places[k];
            double slope = isOnDiagonal(places[k], n) ? 1 / entries[place] : 1;
            byFactors[place] = slope * vectors[i][k];
          }
        }
        INDArray byMatrices =
            Cholesky.backward(factors, Nd4j.createFromArray(byFactors).reshape(factors.shape()));
        INDArray result = results.create(saved.input().shape());
        return result.assign(byMatrices.reshape(result.shape()));
      }
    };
  }

  private static boolean isOnDiagonal(int place, int n) {
    return place % (n + 1) == 0;
  }

  private INDArray factors(INDArray matrices) {
    try {
      return Cholesky.of(matrices);
    } catch (ArithmeticException e) {
      throw new DL4JInvalidInputException(
          describe()
              + ": "
              + e.getMessage()
              + ". Give the KernelAggregationLayer a ridge, or put a ReEigLayer before this layer");
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

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new Runtime(conf, type, backend);
  }

  private static final class Runtime extends SpdRuntimeLayer {
    private static final long serialVersionUID = 1L;

    Runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
    }
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
