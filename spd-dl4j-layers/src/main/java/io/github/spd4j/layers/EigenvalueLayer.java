/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.runtime.Results;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.SpectralFunction;
import io.github.spd4j.linalg.SymmetricEigen;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A layer that replaces the eigenvalues of a symmetric matrix [N, 1, C, C] by a function of them,
 * none of them taken as smaller than a floor.
 *
 * <p>Eigenvalues and eigenvectors are computed in double precision; see {@link SymmetricEigen}.
 */
public abstract class EigenvalueLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  private static final String VALUES = "eigenvalues";
  private static final String VECTORS = "eigenvectors";

  private double floor;

  EigenvalueLayer(Builder<?> builder) {
    super(builder);
    this.floor = builder.floor;
  }

  @Override
  void requireSound() {
    if (!(floor > 0) || Double.isInfinite(floor)) {
      throw invalidConfig("a finite floor greater than 0", "floor = " + floor);
    }
  }

  EigenvalueLayer() {} // for Jackson

  @Override
  final LayerInput input() {
    return matrix(1);
  }

  @Override
  final LayerOutput output() {
    return LayerOutput.MATRIX;
  }

  /**
   * What smaller eigenvalues are raised to.
   *
   * @return ε
   */
  public final double getFloor() {
    return floor;
  }

  /** What becomes of the eigenvalues. */
  abstract SpectralFunction function();

  @Override
  public final SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    return define(sd, input, function());
  }

  /** A function of the eigenvalues of [N, 1, C, C], in SameDiff. */
  static SDVariable define(SameDiff sd, SDVariable input, SpectralFunction function) {
    long n = input.getShape()[2];
    SDVariable result = function.define(sd, sd.reshape(input, -1, n, n), n);
    return sd.reshape(result, -1, 1, n, n);
  }

  /** Executes a function of eigenvalues, in double precision whatever the type. */
  abstract static class Eigenvalues extends SpdRuntimeLayer {
    private static final long serialVersionUID = 1L;

    private final SpdLayer layer;
    private final transient SpectralFunction function;

    Eigenvalues(
        NeuralNetConfiguration conf,
        DataType type,
        Backend backend,
        SpdLayer layer,
        SpectralFunction function) {
      super(conf, type, backend);
      this.layer = layer;
      this.function = function;
    }

    @Override
    protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
      INDArray output = results.create(input.shape());
      layer.named(
          () -> {
            SymmetricEigen eigen = SymmetricEigen.of(matrices(input));
            saved.keep(VALUES, eigen.values());
            saved.keep(VECTORS, eigen.vectors());
            output.assign(function.apply(eigen).reshape(input.shape()));
          });
      return output;
    }

    @Override
    protected INDArray backward(
        INDArray gradient,
        Map<String, INDArray> paramGradients,
        ForwardPass saved,
        Results results) {
      SymmetricEigen eigen = new SymmetricEigen(saved.get(VALUES), saved.get(VECTORS));
      INDArray byOutput = matrices(gradient).castTo(DataType.DOUBLE);
      INDArray result = results.create(saved.input().shape());
      return result.assign(function.backward(eigen, byOutput).reshape(result.shape()));
    }
  }

  @Override
  final long savedElements(InputType inputType) {
    return savedElements(sizeOf(inputType));
  }

  /** Eigenvalues and eigenvectors of matrices with so many rows. */
  static long savedElements(long size) {
    return 2 * size * (size + 1); // in double precision, twice as many
  }

  @Override
  public final String toString() {
    return describe() + "(nIn=" + getNIn() + options() + ", floor=" + floor + ")";
  }

  /** What else a line about the layer names. */
  String options() {
    return "";
  }

  /**
   * What the builders have in common.
   *
   * @param <T> the builder itself
   */
  public abstract static class Builder<T extends Builder<T>> extends SpdLayer.Builder<T> {
    private double floor = NumericPolicy.EIGENVALUE_FLOOR;

    Builder() {}

    /**
     * What smaller eigenvalues are raised to.
     *
     * @param epsilon greater than 0; {@link NumericPolicy#EIGENVALUE_FLOOR} unless set
     * @return this builder
     */
    @SuppressWarnings("unchecked")
    public T floor(double epsilon) {
      this.floor = epsilon;
      return (T) this;
    }
  }
}
