/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.radial;

import io.github.spd4j.internal.backend.Backend;
import org.nd4j.linalg.api.buffer.DataType;

/** The operators of the public radial kernels, which show none themselves. */
public final class RadialKernels {

  /** Makes operators of kernels. */
  @FunctionalInterface
  public interface Access {

    /**
     * The operator of a kernel.
     *
     * @param kernel a radial kernel
     * @param backend the backend
     * @param type the type of the maps
     * @return a new operator
     */
    Radial operator(Object kernel, Backend backend, DataType type);
  }

  private static volatile Access access;

  private RadialKernels() {}

  /**
   * Lets in who asks for operators: the class of the kernels calls it when it is loaded.
   *
   * @param given the way in
   */
  public static void open(Access given) {
    access = given;
  }

  /**
   * The operator of a kernel.
   *
   * @param kernel a radial kernel
   * @param backend the backend
   * @param type the type of the maps
   * @return a new operator
   */
  public static Radial operator(Object kernel, Backend backend, DataType type) {
    return access.operator(kernel, backend, type);
  }
}
