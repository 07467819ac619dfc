/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.acceleration;

import io.github.spd4j.internal.backend.DeviceService;
import java.util.Optional;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Convolutions and poolings on a device, such as those of cuDNN. A module that has them offers them
 * as a service.
 *
 * <p>All arrays are FLOAT, lie in C order, and are overwritten where a method says that it computes
 * them. Images and their gradients are [N, C, H, W], weights [outputs, C, rows, columns]. The
 * margins of a window are the same before and behind the image.
 */
public interface DeviceLibrary {

  /**
   * Whether it can be used.
   *
   * @return true if ND4J runs on its device and its native library is there
   */
  boolean isUsable();

  /** What convolutions may make of their operands; sums and what comes out are FLOAT always. */
  enum Rounding {
    /** Ten bits of mantissa. */
    TF32,
    /**
     * Seven bits of mantissa, with the exponents of FLOAT; what comes out is rounded to them too.
     */
    BFLOAT16
  }

  /**
   * The library with other convolutions.
   *
   * @param rounding what they may do
   * @return such a library, or nothing where the device gains nothing by it
   */
  default Optional<DeviceLibrary> rounding(Rounding rounding) {
    return Optional.empty();
  }

  /**
   * Computes a convolution.
   *
   * @param images the images
   * @param weights the weights
   * @param bias one number for each output
   * @param window how the kernel moves
   * @param rectified whether what is below zero becomes zero
   * @param output computed
   */
  void convolve(
      INDArray images,
      INDArray weights,
      INDArray bias,
      Window window,
      boolean rectified,
      INDArray output);

  /**
   * Computes the gradients of a convolution.
   *
   * @param images the images
   * @param weights the weights
   * @param delta the gradient by the output, before it is rectified
   * @param window how the kernel moves
   * @param byWeights computed
   * @param byBias computed
   * @param byImages computed
   */
  void gradients(
      INDArray images,
      INDArray weights,
      INDArray delta,
      Window window,
      INDArray byWeights,
      INDArray byBias,
      INDArray byImages);

  /**
   * Replaces what is below zero by zero.
   *
   * @param values changed, but for what is not a number
   */
  void rectify(INDArray values);

  /**
   * Computes the gradient of {@link #rectify}.
   *
   * @param values the values, before or after they were rectified
   * @param delta the gradient by the rectified values
   * @param gradient computed: delta where a value is above zero, and zero elsewhere
   */
  void rectifierGradient(INDArray values, INDArray delta, INDArray gradient);

  /**
   * Computes a pooling, without dilation.
   *
   * @param images the images
   * @param window how the kernel moves
   * @param max whether the largest is taken, which is never in the margin; or the average, and
   *     there is no margin
   * @param output computed
   */
  void pool(INDArray images, Window window, boolean max, INDArray output);

  /**
   * Computes the gradient of a pooling. Where several are the largest, any of them gets it.
   *
   * @param images the images
   * @param delta the gradient by the output
   * @param window how the kernel moves
   * @param max as above
   * @param gradient computed
   */
  void poolGradient(INDArray images, INDArray delta, Window window, boolean max, INDArray gradient);

  /**
   * The library for the device that ND4J runs on.
   *
   * @return the library, or nothing on a CPU, without {@code spd-dl4j-cuda} or without cuDNN
   */
  static Optional<DeviceLibrary> ofDevice() {
    return Found.LIBRARY;
  }

  /** Looks for it when it is first asked for. */
  final class Found {
    private static final Optional<DeviceLibrary> LIBRARY =
        DeviceService.find(DeviceLibrary.class, DeviceLibrary::isUsable);

    private Found() {}
  }
}
