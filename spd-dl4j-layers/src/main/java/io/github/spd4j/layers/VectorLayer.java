/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.operators.vectors.VectorNormalization;
import org.nd4j.shade.jackson.annotation.JsonIgnore;

/** A layer whose output is a normalised vector for a classifier. */
public interface VectorLayer {

  /**
   * How the vector is normalised.
   *
   * @return the normalisation
   */
  VectorNormalization normalization();

  /**
   * Whether the entries are brought closer together by a signed square root.
   *
   * @return true if so
   */
  @JsonIgnore
  default boolean isPowerNormalization() {
    return normalization().isPowerNormalization();
  }

  /**
   * The floor φ of the signed square root.
   *
   * @return φ
   */
  @JsonIgnore
  default double getPowerFloor() {
    return normalization().getPowerFloor();
  }

  /**
   * Whether the vector is divided by its norm.
   *
   * @return true if so
   */
  @JsonIgnore
  default boolean isL2Normalization() {
    return normalization().isL2Normalization();
  }

  /**
   * What the vector is multiplied by in the end.
   *
   * @return the factor
   */
  @JsonIgnore
  default double getScale() {
    return normalization().getScale();
  }
}
