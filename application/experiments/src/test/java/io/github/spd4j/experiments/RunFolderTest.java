/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.File;
import java.io.OutputStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFolderTest {

  private static final int RUNS = 300;

  @TempDir Path folder;

  /** Who asks whether a run is taken never keeps a training from beginning. */
  @Test
  void whoAsksDoesNotHinder() throws Exception {
    RunFolder run = new RunFolder(folder.resolve("run"));
    run.lock().close();
    Process asking =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                AskingMain.class.getName(),
                run.path().toString())
            .redirectError(new File(folder.toFile(), "errors"))
            .start();
    try (BufferedReader said = asking.inputReader();
        OutputStream stop = asking.getOutputStream()) {
      assertThat(said.readLine()).isEqualTo("asking");
      for (int i = 0; i < RUNS; i++) {
        run.lock().close();
      }
      try (RunFolder.Lock held = run.lock()) {
        assertThat(held).isNotNull();
        assertThatThrownBy(run::lock).isInstanceOf(RunFolder.TakenException.class);
        Thread.sleep(100);
      }
      stop.write('\n');
      stop.flush();
      assertThat(said.readLine()).isEqualTo("was held");
    } finally {
      asking.destroy();
    }
  }
}
