/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.acceleration.DeviceLibrary;
import io.github.spd4j.internal.backend.MatrixStack;
import java.util.stream.Stream;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationReLU;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.annotation.JsonProperty;
import org.nd4j.shade.jackson.annotation.JsonTypeId;

/**
 * A rectifier by the library of a device, which reads and writes each number once. It equals DL4J's
 * own, and is stored as that.
 */
final class DeviceRectifier extends ActivationReLU {

  private static final long serialVersionUID = 1L;

  private final transient DeviceLibrary library;

  private DeviceRectifier(DeviceLibrary library) {
    this.library = library;
  }

  /**
   * A function by a library.
   *
   * @param function any function
   * @param library what computes it
   * @return one that equals it, or the function itself if it is not a rectifier without options
   */
  static IActivation of(IActivation function, DeviceLibrary library) {
    boolean isDl4js = function != null && function.getClass() == ActivationReLU.class;
    return isDl4js && isPlain(function) ? new DeviceRectifier(library) : function;
  }

  /** Whether a function is max(x, 0). */
  static boolean isPlain(IActivation function) {
    return function.equals(new ActivationReLU());
  }

  /** The class that is written into files. */
  @JsonTypeId
  @JsonProperty
  String storedAs() {
    return ActivationReLU.class.getName();
  }

  @Override
  public INDArray getActivation(INDArray in, boolean training) {
    if (!isFor(in)) {
      return super.getActivation(in, training);
    }
    library.rectify(in);
    return in;
  }

  @Override
  public Pair<INDArray, INDArray> backprop(INDArray in, INDArray epsilon) {
    if (!isFor(in, epsilon)) {
      return super.backprop(in, epsilon);
    }
    assertShape(in, epsilon);
    // DL4J lets functions overwrite it. What is in no workspace may still be somebody's.
    INDArray gradient = in.isAttached() ? in : in.ulike();
    library.rectifierGradient(in, epsilon, gradient);
    return new Pair<>(gradient, null);
  }

  private static boolean isFor(INDArray... arrays) {
    return Stream.of(arrays)
        .allMatch(array -> array.dataType() == DataType.FLOAT && MatrixStack.isInOrder(array));
  }
}
