/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.operators.vectors.VectorNormalization;
import org.nd4j.shade.jackson.annotation.JsonIgnore;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/** A layer whose output is a normalised vector for a classifier. */
public abstract class VectorLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  @JsonProperty private VectorNormalization normalization;

  VectorLayer(VectorLayerBuilder<?> builder) {
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
}
