/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.vectors;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.Scratch;
import io.github.spd4j.linalg.NumericPolicy;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.commons.lang3.builder.EqualsBuilder;
import org.apache.commons.lang3.builder.HashCodeBuilder;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.ops.transforms.Transforms;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * Power and l2 normalisation of the vectors that go to a classifier, each of which may be off.
 *
 * <pre>
 * u = v / (φ + √(|v| + φ²))          power normalisation: sign(v) (√(|v| + φ²) − φ)
 * z = u / ‖u‖                        l2 normalisation
 * output = scale · z
 * </pre>
 *
 * <p>Backward: {@code ∂L/∂u = (g − z⟨z, g⟩) / ‖u‖}, {@code ∂L/∂v = ∂L/∂u / (2 √(|v| + φ²))}.
 * Instances are immutable and stored in a network's JSON with their fields.
 */
@JsonAutoDetect(
    fieldVisibility = JsonAutoDetect.Visibility.ANY,
    getterVisibility = JsonAutoDetect.Visibility.NONE,
    isGetterVisibility = JsonAutoDetect.Visibility.NONE)
public final class VectorNormalization implements Serializable {

  private static final long serialVersionUID = 1L;

  private static final String INPUT = "vectors";
  private static final String RAW = "raw";
  private static final String POWERED = "powered";
  private static final String NORM = "norm";

  private final boolean powerNormalization;
  private final double powerFloor;
  private final boolean l2Normalization;
  private final double scale;

  /**
   * A normalisation.
   *
   * @param powerNormalization whether the entries are brought closer together by a square root
   * @param powerFloor φ, greater than 0
   * @param l2Normalization whether the vector is divided by its norm
   * @param scale the factor that the result is multiplied by, greater than 0
   */
  @JsonCreator
  public VectorNormalization(
      @JsonProperty("powerNormalization") boolean powerNormalization,
      @JsonProperty("powerFloor") double powerFloor,
      @JsonProperty("l2Normalization") boolean l2Normalization,
      @JsonProperty("scale") double scale) {
    this.powerNormalization = powerNormalization;
    this.powerFloor = requirePositive("powerFloor", powerFloor);
    this.l2Normalization = l2Normalization;
    this.scale = requirePositive("scale", scale);
  }

  private static double requirePositive(String name, double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(
          "expected a finite " + name + " greater than 0, got " + name + " = " + value);
    }
    return value;
  }

  /**
   * Whether the entries are brought closer together by a square root.
   *
   * @return true if so
   */
  public boolean isPowerNormalization() {
    return powerNormalization;
  }

  /**
   * The floor φ of the power normalisation.
   *
   * @return φ
   */
  public double getPowerFloor() {
    return powerFloor;
  }

  /**
   * Whether the vector is divided by its norm.
   *
   * @return true if so
   */
  public boolean isL2Normalization() {
    return l2Normalization;
  }

  /**
   * The factor that the result is multiplied by.
   *
   * @return the scale
   */
  public double getScale() {
    return scale;
  }

  /**
   * Defines the normalisation.
   *
   * @param sd where to define it
   * @param vectors [N, length], a variable of the caller's that may be renamed
   * @param length the length of a vector
   * @return [N, length]
   */
  public SDVariable define(SameDiff sd, SDVariable vectors, long length) {
    SDVariable result = Definitions.named(sd, vectors, RAW);
    if (powerNormalization) {
      // This form of sign(v) (√(|v| + φ²) − φ) loses no digits to cancellation.
      SDVariable root = sd.math().sqrt(sd.math().abs(result).add(powerFloor * powerFloor));
      result = Definitions.named(sd, result.div(root.add(powerFloor)), POWERED);
    }
    if (l2Normalization) {
      SDVariable norm = Definitions.named(sd, norm(sd, result, length), NORM);
      result = result.mul(inverseOrZero(sd, norm));
    }
    return scale == 1 ? sd.identity(result) : result.mul(scale);
  }

  /** ‖u‖ [N, 1]. Summed in three dimensions: ND4J fails on a [N, 1] whose rows are to be summed. */
  private static SDVariable norm(SameDiff sd, SDVariable vectors, long length) {
    SDVariable squares = sd.reshape(vectors.mul(vectors), -1, 1, length);
    return sd.reshape(Definitions.root(sd, squares.sum(true, 2)), -1, 1);
  }

  /** 1/‖u‖, or 0 where the norm is below its floor. */
  private static SDVariable inverseOrZero(SameDiff sd, SDVariable norm) {
    SDVariable usable = sd.gt(norm, NumericPolicy.NORM_FLOOR).castTo(norm.dataType());
    return usable.div(norm.add(usable.rsub(1)));
  }

  /**
   * The names of the variables of {@link #define} whose values {@link #backward} needs.
   *
   * @return variable names
   */
  public List<String> saved() {
    List<String> names = new ArrayList<>();
    if (powerNormalization) {
      names.add(RAW);
    }
    if (l2Normalization) {
      names.add(normalised());
      names.add(NORM);
    }
    return names;
  }

  /** What the l2 normalisation is applied to. */
  private String normalised() {
    return powerNormalization ? POWERED : RAW;
  }

  /**
   * The gradient with respect to the vectors.
   *
   * @param algebra what computes
   * @param saved the values of the {@link #saved} variables, unchanged by this method
   * @param gradient the gradient with respect to the output [N, length], unchanged by this method
   * @return a new array [N, length]
   */
  public INDArray backward(Algebra algebra, Map<String, INDArray> saved, INDArray gradient) {
    VectorNormalizationBatch batch = new VectorNormalizationBatch(this, algebra);
    INDArray g = gradient.dup('c');
    try (Scratch scratch = Scratch.shared()) {
      ForwardPass kept = new ForwardPass(scratch);
      if (l2Normalization) {
        kept.keep(VectorNormalizationBatch.POWERED, saved.get(normalised()));
        INDArray inverse = saved.get(NORM).mul(saved.get(NORM));
        batch.inverse(inverse);
        kept.keep(VectorNormalizationBatch.INVERSE, inverse);
      }
      if (powerNormalization) {
        INDArray root = Transforms.abs(saved.get(RAW), true).addi(powerFloor * powerFloor);
        kept.keep(VectorNormalizationBatch.ROOT, Transforms.sqrt(root, false));
      }
      batch.backward(g, kept);
    }
    g.muli(batch.remainingFactor());
    return g;
  }

  @Override
  public boolean equals(Object o) {
    return EqualsBuilder.reflectionEquals(this, o);
  }

  @Override
  public int hashCode() {
    return HashCodeBuilder.reflectionHashCode(this);
  }

  @Override
  public String toString() {
    return String.format(
        "power=%s, l2=%s, scale=%s",
        powerNormalization ? "floor " + powerFloor : "off", l2Normalization ? "on" : "off", scale);
  }
}
