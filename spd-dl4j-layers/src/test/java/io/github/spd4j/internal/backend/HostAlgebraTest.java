/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

@Tag("once")
class HostAlgebraTest extends AlgebraContract {

  @BeforeEach
  void onTheCpu() {
    assumeTrue(algebra().isForBackend());
  }

  @Override
  protected Algebra algebra() {
    return new HostAlgebra();
  }
}
