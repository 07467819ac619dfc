/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.openblas.global.openblas;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Signals to a command whose native calls never return. */
@Timeout(
    value = 60,
    threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // what reads cannot be interrupted
class InterruptionTest {

  private static final int TERMINATED = 128 + 15;

  /** A limit that no test reaches: the process has to end otherwise. */
  private static final String AN_HOUR = "3600000";

  private static final String SOON = "100";

  private Process process;
  private BufferedReader output;

  @BeforeAll
  static void requirePause() {
    Loader.load(openblas.class);
    assumeTrue(Loader.addressof("pause") != null, "a C library without pause");
  }

  private void start(StuckMain.Where where, String limitMillis) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(StuckMain.class.getName(), where.name(), limitMillis));
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    output = process.inputReader(UTF_8);
    awaitLine("computes");
  }

  @AfterEach
  void end() {
    process.destroyForcibly();
  }

  private void awaitLine(String text) throws IOException {
    String line = output.readLine();
    while (!text.equals(line)) {
      assertThat(line).as("a line before the end of the output").isNotNull();
      line = output.readLine();
    }
  }

  private void requireEnd() throws InterruptedException {
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("the process has ended").isTrue();
    assertThat(process.exitValue()).isEqualTo(TERMINATED);
  }

  @Test
  void aSecondSignalEndsItAtOnce() throws Exception {
    start(StuckMain.Where.HOOK, AN_HOUR);
    process.toHandle().destroy();
    awaitLine("  ./spd train pictures --out=run");
    awaitLine("stops");
    process.toHandle().destroy();
    requireEnd();
  }

  @Test
  void aHookHasALimit() throws Exception {
    start(StuckMain.Where.HOOK, SOON);
    process.toHandle().destroy();
    requireEnd();
  }

  /** Such as into a pipe that nobody reads. */
  @Test
  void printingHasALimit() throws Exception {
    start(StuckMain.Where.PRINTING, SOON);
    process.toHandle().destroy();
    requireEnd();
  }

  @Test
  @Tag("campaign")
  void itLeavesWithinFiveSeconds() throws Exception {
    start(StuckMain.Where.HOOK, String.valueOf(Interruption.LIMIT_MILLIS));
    long start = System.nanoTime();
    process.toHandle().destroy();
    requireEnd();
    assertThat((System.nanoTime() - start) / 1e9).isBetween(3.9, 5.0);
  }
}
