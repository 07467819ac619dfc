/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect;
import org.nd4j.shade.jackson.annotation.JsonTypeInfo;

/**
 * {@code K_ij = k(f_i, f_j)}: a matrix from the C feature maps of an image, each a row of P pixels.
 *
 * <p>An implementation is immutable, has {@code equals}, and is stored in a network's JSON with its
 * class name and fields.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS, property = "@class")
@JsonAutoDetect(
    fieldVisibility = JsonAutoDetect.Visibility.ANY,
    getterVisibility = JsonAutoDetect.Visibility.NONE,
    isGetterVisibility = JsonAutoDetect.Visibility.NONE)
public interface Kernel extends Serializable {

  /**
   * Defines the kernel matrices of a batch, with all {@link #parameters} at their start.
   *
   * @param sd where to define them
   * @param maps F [N, C, P]
   * @param channels C
   * @param pixels P
   * @return K [N, C, C]
   */
  SDVariable define(SameDiff sd, SDVariable maps, long channels, long pixels);

  /**
   * The names of the variables of {@link #define} whose values {@link #backward} needs.
   *
   * @return variable names, each given by {@code define}
   */
  List<String> saved();

  /**
   * The names of the parameters that the layer learns for this kernel, each one number [1, 1] that
   * begins at 0. A kernel that has some overrides {@link #define(SameDiff, SDVariable, long, long,
   * Map)} and {@link #backward(INDArray, Map, INDArray, Map)}.
   *
   * @return names, always the same; none unless overridden
   */
  default List<String> parameters() {
    return List.of();
  }

  /**
   * Defines the kernel matrices of a batch with parameters.
   *
   * @param sd where to define them
   * @param maps F [N, C, P]
   * @param channels C
   * @param pixels P
   * @param parameters the {@link #parameters} by name
   * @return K [N, C, C]
   */
  default SDVariable define(
      SameDiff sd,
      SDVariable maps,
      long channels,
      long pixels,
      Map<String, SDVariable> parameters) {
    return define(sd, maps, channels, pixels);
  }

  /**
   * The gradient with respect to the feature maps.
   *
   * @param maps F [N, C, P], unchanged by this method
   * @param saved the values of the {@link #saved} variables, unchanged by this method
   * @param gradient G = ∂L/∂K [N, C, C], unchanged by this method
   * @return ∂L/∂F [N, C, P]
   */
  INDArray backward(INDArray maps, Map<String, INDArray> saved, INDArray gradient);

  /**
   * The gradient with respect to the feature maps and to the parameters.
   *
   * @param maps F [N, C, P], unchanged by this method
   * @param saved the values of the {@link #saved} variables, unchanged by this method
   * @param gradient G = ∂L/∂K [N, C, C], unchanged by this method
   * @param byParameters where to write the gradients with respect to the {@link #parameters}, by
   *     name
   * @return ∂L/∂F [N, C, P]
   */
  default INDArray backward(
      INDArray maps,
      Map<String, INDArray> saved,
      INDArray gradient,
      Map<String, INDArray> byParameters) {
    return backward(maps, saved, gradient);
  }
}
