/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuickstartTest {

  @Test
  void tellsDirectionsApart() {
    assertThat(Quickstart.run(8)).isGreaterThan(0.95);
  }
}
