/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.operators.vectors.VectorNormalization;
import io.github.spd4j.linalg.NumericPolicy;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.nd4j.shade.jackson.annotation.JsonIgnore;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/** A layer whose output is a normalised vector for a classifier. */
public abstract class VectorLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  @JsonProperty private VectorNormalization normalization;

  VectorLayer(Builder<?> builder) {
    super(builder);
    this.normalization = builder.normalization(this);
  }

  VectorLayer() {} // for Jackson

  /** How the vector is normalised. */
  final VectorNormalization normalization() {
    return normalization;
  }

  /**
   * Whether the entries are brought closer together by a signed square root.
   *
   * @return true if so
   */
  @JsonIgnore
  public final boolean isPowerNormalization() {
    return normalization().isPowerNormalization();
  }

  /**
   * The floor φ of the signed square root.
   *
   * @return φ
   */
  @JsonIgnore
  public final double getPowerFloor() {
    return normalization().getPowerFloor();
  }

  /**
   * Whether the vector is divided by its norm.
   *
   * @return true if so
   */
  @JsonIgnore
  public final boolean isL2Normalization() {
    return normalization().isL2Normalization();
  }

  /**
   * What the vector is multiplied by in the end.
   *
   * @return the factor
   */
  @JsonIgnore
  public final double getScale() {
    return normalization().getScale();
  }

  /**
   * What the builders have in common.
   *
   * @param <T> the builder itself
   */
  @SuppressWarnings("unchecked") // T is the builder itself
  public abstract static class Builder<T extends Builder<T>> extends SpdLayer.Builder<T> {

    private boolean powerNormalization;
    private double powerFloor = NumericPolicy.POWER_FLOOR;
    private boolean l2Normalization = true;
    private double scale = 1;

    Builder() {
      this(true);
    }

    Builder(boolean powerNormalization) {
      this.powerNormalization = powerNormalization;
    }

    /**
     * Switches the power normalisation on or off; on unless set, but for a {@link
     * TextureEncodingLayer}.
     *
     * @param on whether to normalise
     * @return this builder
     */
    public T powerNormalization(boolean on) {
      this.powerNormalization = on;
      return (T) this;
    }

    /**
     * The floor φ of the power normalisation, which bounds its slope by 1/(2φ). A larger one
     * steadies the training, a smaller one comes closer to the square root.
     *
     * @param floor greater than 0; {@link NumericPolicy#POWER_FLOOR} unless set
     * @return this builder
     */
    public T powerFloor(double floor) {
      this.powerFloor = floor;
      return (T) this;
    }

    /**
     * Switches the l2 normalisation on or off; on unless set.
     *
     * @param on whether to normalise
     * @return this builder
     */
    public T l2Normalization(boolean on) {
      this.l2Normalization = on;
      return (T) this;
    }

    /**
     * What the vector is multiplied by in the end; 1 unless set.
     *
     * @param scale greater than 0
     * @return this builder
     */
    public T scale(double scale) {
      this.scale = scale;
      return (T) this;
    }

    /** The normalisation that was asked for; a refusal names the layer. */
    final VectorNormalization normalization(SpdLayer layer) {
      try {
        return new VectorNormalization(powerNormalization, powerFloor, l2Normalization, scale);
      } catch (IllegalArgumentException e) {
        throw new DL4JInvalidConfigException(layer.describe() + ": " + e.getMessage(), e);
      }
    }
  }
}
