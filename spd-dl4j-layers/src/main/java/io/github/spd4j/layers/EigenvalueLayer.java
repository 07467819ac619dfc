/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.layers.runtime.DirectForm;
import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.SpectralFunction;
import io.github.spd4j.linalg.SymmetricEigen;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A layer that replaces the eigenvalues of a symmetric matrix [N, 1, C, C] by a function of them,
 * none of them taken as smaller than a floor.
 *
 * <p>Eigenvalues and eigenvectors are computed in double precision, one matrix after another.
 */
public abstract class EigenvalueLayer extends SpdMatrixLayer implements DirectForm {

  private static final long serialVersionUID = 1L;

  private static final String VALUES = "eigenvalues";
  private static final String VECTORS = "eigenvectors";

  private double floor;

  EigenvalueLayer(Builder<?> builder) {
    super(builder);
    this.floor = builder.floor;
    if (!(floor > 0) || Double.isInfinite(floor)) {
      throw invalidConfig("a finite floor greater than 0", "floor = " + floor);
    }
  }

  EigenvalueLayer() {} // for Jackson

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
  public final InputType getOutputType(int layerIndex, InputType inputType) {
    int size = checkedSizeOf(inputType);
    return InputType.convolutional(size, size, 1);
  }

  @Override
  public final INDArray forward(INDArray input, Map<String, INDArray> saved) {
    SymmetricEigen eigen = decompose(input);
    saved.put(VALUES, eigen.values());
    saved.put(VECTORS, eigen.vectors());
    return function().apply(eigen).reshape(input.shape()).castTo(input.dataType());
  }

  private SymmetricEigen decompose(INDArray input) {
    try {
      return SymmetricEigen.of(matrices(input));
    } catch (NotFiniteException e) {
      throw new NotFiniteException(describe() + ": " + e.getMessage());
    }
  }

  private static INDArray matrices(INDArray input) {
    return input.reshape(input.size(0), input.size(2), input.size(3));
  }

  @Override
  public final INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients) {
    SymmetricEigen eigen =
        new SymmetricEigen(saved.values().get(VALUES), saved.values().get(VECTORS));
    INDArray byInput = function().backward(eigen, matrices(gradient).castTo(DataType.DOUBLE));
    return byInput.reshape(saved.input().shape()).castTo(saved.input().dataType());
  }

  /** Not used: the forward pass is given on arrays. */
  @Override
  public final SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    throw new UnsupportedOperationException(describe() + ": SameDiff has no eigenvectors");
  }

  @Override
  public final List<String> savedVariables() {
    return List.of(VALUES, VECTORS);
  }

  @Override
  final long savedElements(InputType inputType) {
    long size = sizeOf(inputType);
    return 2 * size * (size + 1); // in double precision, twice as many
  }

  @Override
  public boolean equals(Object o) {
    return super.equals(o) && floor == ((EigenvalueLayer) o).floor;
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), floor);
  }

  @Override
  public final String toString() {
    return describe() + "(nIn=" + getNIn() + ", floor=" + floor + ")";
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
