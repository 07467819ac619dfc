/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.dl4j;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.openblas.global.openblas;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Programs with a native library that waits for ever when they end. */
@Timeout(120)
class NativeDestructorsTest {

  private static final int TERMINATED = 128 + 15;

  @BeforeAll
  static void requireGlibc() {
    Loader.load(openblas.class);
    assumeTrue(Loader.addressof("on_exit") != null, "a C library without on_exit");
  }

  private static Process start(String how) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(HangingMain.class.getName(), how));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static void requireEnd(Process process, int code) throws InterruptedException {
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("the process has ended").isTrue();
      assertThat(process.exitValue()).isEqualTo(code);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void aProgramThatExitsEndsWithItsCode() throws Exception {
    requireEnd(start("exit"), 3);
  }

  @Test
  void aProgramThatHaltsEndsWithItsCode() throws Exception {
    requireEnd(start("halt"), 3);
  }

  @Test
  void aProgramThatReturnsEnds() throws Exception {
    requireEnd(start("return"), 0);
  }

  @Test
  void aTerminatedProgramEnds() throws Exception {
    Process process = start("wait");
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      assertThat(reader.readLine()).isEqualTo("ready");
      process.destroy();
      requireEnd(process, TERMINATED);
    }
  }
}
