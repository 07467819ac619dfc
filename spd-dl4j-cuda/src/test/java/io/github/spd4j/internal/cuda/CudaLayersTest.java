/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.layers.AlgebraTest;

/** The passes of the layers on the GPU, in DOUBLE, against plain loops. */
class CudaLayersTest extends AlgebraTest {

  @Override
  protected Algebra tested() {
    return Tested.algebra();
  }
}
