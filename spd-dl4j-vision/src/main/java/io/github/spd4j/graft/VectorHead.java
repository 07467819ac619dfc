/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.layers.VectorLayerBuilder;
import io.github.spd4j.linalg.NumericPolicy;

/**
 * A head that ends in a layer with power and l2 normalisation.
 *
 * @param <T> the head itself
 */
@SuppressWarnings("unchecked") // T is the head itself
public abstract class VectorHead<T extends VectorHead<T>> extends ConvolutionalHead<T> {

  private double scale = 1;

  VectorHead() {}

  /**
   * Switches the power normalisation (the signed square root) on or off.
   *
   * @param on whether to normalise
   * @return this head
   */
  public T powerNormalization(boolean on) {
    vector().powerNormalization(on);
    return (T) this;
  }

  /**
   * The floor of the power normalisation; see {@link VectorLayerBuilder#powerFloor}.
   *
   * @param floor greater than 0; {@link NumericPolicy#POWER_FLOOR} unless set
   * @return this head
   */
  public T powerFloor(double floor) {
    vector().powerFloor(floor);
    return (T) this;
  }

  /**
   * Switches the l2 normalisation on or off.
   *
   * @param on whether to normalise
   * @return this head
   */
  public T l2Normalization(boolean on) {
    vector().l2Normalization(on);
    return (T) this;
  }

  /**
   * The factor that the vector is multiplied by at the end; 1 unless set. With the l2 normalisation
   * on, about 10 lets the classifier learn at common rates.
   *
   * @param scale greater than 0
   * @return this head
   */
  public T scale(double scale) {
    this.scale = scale;
    vector().scale(scale);
    return (T) this;
  }

  /** The factor of the vector. */
  final double scale() {
    return scale;
  }

  /** The builder of the last layer, which holds its options. */
  abstract VectorLayerBuilder<?> vector();

  @Override
  void grow(Stem stem, PartSettings transforms) {
    stem.add(SpdGraft.VECTOR, vector());
  }
}
