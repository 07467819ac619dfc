/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

class Nd4jAlgebraTest extends AlgebraContract {

  @Override
  protected Algebra algebra() {
    return new Nd4jAlgebra();
  }
}
