/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.congruence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.backend.Backend;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;

class CongruenceTest {

  /** Without it results would be right as well, but slow. */
  @Test
  void floatOnTheHostTakesTheFusedPass() {
    assumeTrue(Backend.current().isFused(DataType.FLOAT));
    assertThat(Congruence.on(Backend.current(), DataType.FLOAT)).isInstanceOf(CongruenceHost.class);
  }
}
