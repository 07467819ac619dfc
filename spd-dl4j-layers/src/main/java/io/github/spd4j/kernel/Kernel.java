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
import org.nd4j.shade.jackson.annotation.JsonAutoDetect;
import org.nd4j.shade.jackson.annotation.JsonTypeInfo;

/**
 * {@code K_ij = k(f_i, f_j)}: a matrix from the C feature maps of an image, each a row of P pixels.
 *
 * <p>SameDiff differentiates the definition of a kernel. A {@link ClosedKernel} has its own
 * backward pass, which is several times faster.
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
   * The names of the parameters that the layer learns for this kernel, each one number [1, 1] that
   * begins at 0. A kernel that has some overrides {@link #define(SameDiff, SDVariable, long, long,
   * Map)}.
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
   * Defines the kernel matrices of a batch over the pixels that count: those of the maps without
   * the others. A kernel that takes masks overrides it; with the maps 0 where the mask is, it may
   * often leave the mask aside.
   *
   * @param sd where to define them
   * @param maps F [N, C, P], 0 where a pixel does not count
   * @param mask 1 where a pixel counts, 0 elsewhere [N, 1, P]; null if all count
   * @param channels C
   * @param pixels P
   * @param parameters the {@link #parameters} by name
   * @return K [N, C, C]
   * @throws UnsupportedOperationException if there is a mask, unless overridden
   */
  default SDVariable define(
      SameDiff sd,
      SDVariable maps,
      SDVariable mask,
      long channels,
      long pixels,
      Map<String, SDVariable> parameters) {
    if (mask != null) {
      throw new UnsupportedOperationException(
          "expected no mask of pixels with the kernel "
              + this
              + ", got one; override its define with a mask");
    }
    return define(sd, maps, channels, pixels, parameters);
  }
}
