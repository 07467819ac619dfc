/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import java.util.List;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A kernel with a backward pass in closed form. One with {@linkplain #parameters parameters}
 * overrides {@link #backward(INDArray, Map, INDArray, Map)}.
 */
public interface ClosedKernel extends Kernel {

  /**
   * The names of the variables of {@link #define} whose values {@link #backward} needs.
   *
   * @return variable names, each given by {@code define}
   */
  List<String> saved();

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

  /**
   * The gradient with respect to the feature maps and to the parameters, with a mask. A kernel
   * whose formula depends on how many pixels count overrides it.
   *
   * @param maps F [N, C, P], 0 where a pixel does not count, unchanged by this method
   * @param mask 1 where a pixel counts, 0 elsewhere [N, 1, P]; null if all count
   * @param saved the values of the {@link #saved} variables, unchanged by this method
   * @param gradient G = ∂L/∂K [N, C, C], unchanged by this method
   * @param byParameters where to write the gradients with respect to the {@link #parameters}, by
   *     name
   * @return ∂L/∂F [N, C, P], of which the layer takes what counts
   */
  default INDArray backward(
      INDArray maps,
      INDArray mask,
      Map<String, INDArray> saved,
      INDArray gradient,
      Map<String, INDArray> byParameters) {
    return backward(maps, saved, gradient, byParameters);
  }
}
