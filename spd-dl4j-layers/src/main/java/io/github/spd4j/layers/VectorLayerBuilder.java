/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.operators.vectors.VectorNormalization;
import io.github.spd4j.linalg.NumericPolicy;
import org.deeplearning4j.exception.DL4JInvalidConfigException;

/**
 * What the builders of layers that end in a normalised vector have in common.
 *
 * @param <T> the builder itself
 */
@SuppressWarnings("unchecked") // T is the builder itself
public abstract class VectorLayerBuilder<T extends VectorLayerBuilder<T>>
    extends SpdLayer.Builder<T> {

  private boolean powerNormalization;
  private double powerFloor = NumericPolicy.POWER_FLOOR;
  private boolean l2Normalization = true;
  private double scale = 1;

  VectorLayerBuilder() {
    this(true);
  }

  VectorLayerBuilder(boolean powerNormalization) {
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
   * The floor φ of the power normalisation, which bounds its slope by 1/(2φ). A larger one steadies
   * the training, a smaller one comes closer to the square root.
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
