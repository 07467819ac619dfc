/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Nd4jAlgebra;
import org.slf4j.LoggerFactory;

/** What the tests of this module test. */
final class Tested {

  private static final Algebra ALGEBRA = choose();

  private Tested() {}

  /** The device's library, or without a GPU ND4J's own operations, so that the tests still run. */
  static Algebra algebra() {
    return ALGEBRA;
  }

  private static Algebra choose() {
    Algebra algebra = Backend.device().orElseGet(Nd4jAlgebra::new);
    LoggerFactory.getLogger(Tested.class)
        .warn(
            algebra instanceof CudaAlgebra
                ? "The tests run on the GPU."
                : "There is no GPU: the tests run with ND4J's algebra in place of CudaAlgebra.");
    return algebra;
  }
}
