/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.train.plan.Stage;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TerminalProgressTest {

  /** A bar cuts long messages off, and says nothing about a stage without epochs. */
  @Test
  void aStageHasNoBarBeforeItLearns() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    try (TerminalProgress progress = new TerminalProgress("spd", out, true)) {
      progress.stageStarted(Stage.HEAD, 2, 64);
      progress.message("The classifier is fitted by ridge regression, at the end of the stage");
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines(
            "spd: The classifier is fitted by ridge regression, at the end of the stage");
  }

  @Test
  void withoutATerminalItWritesPlainLines() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    try (TerminalProgress progress = new TerminalProgress("spd", out, false)) {
      progress.stageStarted(Stage.HEAD, 2, 64);
      progress.batchDone(32, 1.5, 0.5);
      progress.message("rates are cut");
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines("spd: rates are cut");
  }
}
