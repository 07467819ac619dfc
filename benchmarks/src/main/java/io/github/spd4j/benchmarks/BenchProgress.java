/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A bar on a terminal, nothing elsewhere. */
final class BenchProgress implements AutoCloseable {

  private final ProgressBar bar;

  /**
   * Progress.
   *
   * @param measurements how many there will be
   * @param live whether there is a terminal
   */
  BenchProgress(long measurements, boolean live) {
    bar =
        live
            ? new ProgressBarBuilder()
                .setTaskName("bench")
                .setInitialMax(measurements)
                .setStyle(ProgressBarStyle.COLORFUL_UNICODE_BAR)
                .setMaxRenderedLength(110)
                .build()
            : null;
  }

  void say(String what) {
    if (bar != null) {
      bar.setExtraMessage(" " + what);
    }
  }

  void advance() {
    if (bar != null) {
      bar.step();
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
