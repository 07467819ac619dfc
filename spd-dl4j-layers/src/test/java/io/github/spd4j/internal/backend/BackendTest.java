/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.host.HostFloats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;

class BackendTest {

  private final String before = System.getProperty(Backend.PROPERTY);

  @AfterEach
  void restore() {
    if (before == null) {
      System.clearProperty(Backend.PROPERTY);
    } else {
      System.setProperty(Backend.PROPERTY, before);
    }
  }

  @Test
  void aPropertyForcesAWay() {
    System.setProperty(Backend.PROPERTY, Backend.ND4J);
    assertThat(Backend.current().algebra()).isExactlyInstanceOf(Nd4jAlgebra.class);
    assertThat(Backend.current().isFused(DataType.FLOAT)).isFalse();
    assertThat(Backend.current()).isSameAs(Backend.current());
    assertThat(Backend.current().isDefined()).isFalse();
    System.setProperty(Backend.PROPERTY, Backend.SAMEDIFF);
    assertThat(Backend.current().isDefined()).isTrue();
    assertThat(Backend.current().isFused(DataType.FLOAT)).isFalse();
  }

  @Test
  void onlyFloatsOfTheCpuAreInTheHostsMemory() {
    boolean isCpu = Nd4j.getExecutioner().type() == ExecutionerType.NATIVE_CPU;
    assertThat(HostFloats.isPossible(Nd4j.create(DataType.FLOAT, 1))).isEqualTo(isCpu);
    assertThat(HostFloats.isPossible(Nd4j.create(DataType.DOUBLE, 1))).isFalse();
  }

  @Test
  void anUnknownWayIsRefused() {
    System.setProperty(Backend.PROPERTY, "abacus");
    assertThatThrownBy(Backend::current)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("-Dspd4j.backend=nd4j or samediff")
        .hasMessageContaining("got 'abacus': leave the property out");
  }
}
