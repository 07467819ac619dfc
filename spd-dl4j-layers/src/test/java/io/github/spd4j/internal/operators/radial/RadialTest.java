/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.radial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.operators.radial.Radial.Exponent;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;

class RadialTest {

  /** Without it results would be right as well, but slow. */
  @Test
  void floatOnTheHostTakesTheFusedPass() {
    assumeTrue(Backend.current().isFused(DataType.FLOAT));
    for (Double fixed : new Double[] {null, 2.0}) {
      Sigma sigma = new Sigma(fixed, 1, false);
      assertThat(Radial.on(Backend.current(), DataType.FLOAT, Exponent.RBF, sigma))
          .isInstanceOf(RadialHost.class);
    }
  }
}
