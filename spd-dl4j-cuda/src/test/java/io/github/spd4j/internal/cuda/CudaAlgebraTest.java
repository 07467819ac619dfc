/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.AlgebraContract;

class CudaAlgebraTest extends AlgebraContract {

  @Override
  protected Algebra algebra() {
    return Tested.algebra();
  }
}
