/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.train.progress.EpochRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResumeTest {

  private static final String RUN = "folders_as-foldered_split1_%s_seed1";

  private static final double HOUR = 3600;

  @TempDir Path folder;

  /** Stops the process, as it were, after an epoch. */
  private static final class Stop implements Progress {
    private int left;

    Stop(int epochs) {
      this.left = epochs;
    }

    @Override
    public void epochDone(EpochRecord record) {
      if (--left == 0) {
        throw new UnsupportedOperationException("stopped");
      }
    }
  }

  @Test
  void anInterruptedExperimentGoesOnAndGivesTheSame() throws Exception {
    ExperimentSettings settings = Fixtures.settings(folder.resolve("a"), "b-cnn", "spd");
    int epochs = settings.training.headEpochs + settings.training.wholeEpochs;
    assertThatThrownBy(() -> Fixtures.run(settings, new Stop(epochs + 2))).hasMessage("stopped");
    Path first = settings.out.resolve(String.format(RUN, "b-cnn"));
    Path second = settings.out.resolve(String.format(RUN, "spd"));
    assertThat(first.resolve("result.json")).exists();
    assertThat(second.resolve("checkpoint.zip")).exists();
    assertThat(second.resolve("result.json")).doesNotExist();
    FileTime later = FileTime.from(Instant.now().plus(Duration.ofDays(1)));
    Files.setLastModifiedTime(second.resolve("checkpoint.zip"), later); // the clock jumped
    String owner = RunFolder.digest(second.resolve("settings.json"));
    Json.keep(second.resolve(RunClock.FILE), new RunClock.Time(HOUR), owner);
    FileTime written = Files.getLastModifiedTime(first.resolve("result.json"));

    List<String> messages = new ArrayList<>();
    Fixtures.run(
        settings,
        new Progress() {
          @Override
          public void message(String text) {
            messages.add(text);
          }
        });
    assertThat(messages.get(0)).contains("finished before");
    assertThat(messages.get(1)).contains("goes on after epoch 2");
    assertThat(Files.getLastModifiedTime(first.resolve("result.json"))).isEqualTo(written);
    assertThat(second.toFile().list()).doesNotContain("checkpoint.zip", "clock.json");
    RunResult.Seconds seconds = RunResult.read(second.resolve("result.json")).execution().seconds();
    assertThat(seconds.all()).isBetween(HOUR, 2 * HOUR);

    Fixtures.run(Fixtures.settings(folder.resolve("b"), "spd"));
    assertThat(second.resolve("predictions.csv"))
        .hasSameTextualContentAs(
            folder.resolve("b").resolve(String.format(RUN, "spd")).resolve("predictions.csv"));
  }

  @Test
  void aRunWithOtherSettingsIsNotTakenForThisOne() {
    ExperimentSettings settings = Fixtures.settings(folder, "spd");
    settings.training.wholeEpochs = 0;
    Fixtures.run(settings);
    settings.head.transform = 3;
    assertThatThrownBy(() -> Fixtures.run(settings))
        .isInstanceOf(UserException.class)
        .hasMessageContaining("transform = 12, expected 3");
  }

  @Test
  void anInterruptedRunWithOtherSettingsIsRefused() {
    ExperimentSettings settings = Fixtures.settings(folder, "spd");
    assertThatThrownBy(() -> Fixtures.run(settings, new Stop(1))).hasMessage("stopped");
    settings.head.scale = 3;
    assertThatThrownBy(() -> Fixtures.run(settings))
        .isInstanceOf(UserException.class)
        .hasMessageContaining("scale = 10.0, expected 3.0");
  }
}
