/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HardwareTest {

  @Test
  void processorsAreNamed() {
    assertThat(Hardware.cpu(List.of("processor\t: 0", "model name\t: Some CPU @ 2 GHz")))
        .contains("Some CPU @ 2 GHz");
    assertThat(Hardware.cpu(List.of("CPU implementer\t: 0x41", "CPU part\t: 0xd0c")))
        .contains("Arm Neoverse N1");
    assertThat(Hardware.cpu(List.of("CPU implementer\t: 0x61", "CPU part\t: 0x022")))
        .contains("Arm core 0x022 of implementer 0x61");
    assertThat(Hardware.cpu(List.of("processor\t: 0"))).isEmpty();
  }

  @Test
  void gpusAreNamed() {
    assertThat(Hardware.gpu(List.of(Map.of("cuda.deviceName", "H200")))).contains("H200");
    assertThat(Hardware.gpu(List.of())).isEmpty();
  }

  @Test
  void thisMachineIsDescribed() {
    assertThat(Environment.describe()).containsKeys("cpu", "memory", "processors");
    assertThat(Hardware.memory()).matches("[0-9.]+ GiB");
  }
}
