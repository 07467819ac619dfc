/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.train.plan.Stage;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that is killed in either stage, and started again, ends with the same weights. */
@Tag("once")
class KillTest {

  private static final String NEVER = "never";

  @TempDir Path folder;

  @Test
  @Timeout(180)
  void aKilledProcessLosesNothingButTheEpoch() throws Exception {
    Path killed = folder.resolve("killed");
    killWhen(killed, Stage.HEAD);
    killWhen(killed, Stage.WHOLE);
    finish(killed);
    Path whole = folder.resolve("whole");
    KilledMain.main(new String[] {whole.toString(), NEVER});
    assertThat(model(killed).params()).isEqualTo(model(whole).params());
    Checkpoint end = Checkpoint.read(killed.resolve(TwoStageTrainer.CHECKPOINT));
    assertThat(end.state.result(true).history()).hasSize(4);
  }

  private static ComputationGraph model(Path folder) throws IOException {
    return ModelSerializer.restoreComputationGraph(
        folder.resolve(TwoStageTrainer.MODEL).toFile(), false);
  }

  /** Starts a process and kills it after an epoch of the stage was saved, within the next one. */
  private static void killWhen(Path folder, Stage stage) throws Exception {
    Process process = start(folder, stage.name());
    try {
      while (!hasSaved(folder, stage)) {
        assertThat(process.isAlive()).isTrue();
        Thread.sleep(50);
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
    Checkpoint left = Checkpoint.read(folder.resolve(TwoStageTrainer.CHECKPOINT));
    assertThat(left.state.stage()).isEqualTo(stage);
    assertThat(left.state.epoch()).isEqualTo(1);
  }

  private static boolean hasSaved(Path folder, Stage stage) {
    Path file = folder.resolve(TwoStageTrainer.CHECKPOINT);
    if (!Files.exists(file)) {
      return false;
    }
    TrainingState state = Checkpoint.read(file).state;
    return state.stage() == stage && state.epoch() > 0;
  }

  private static void finish(Path folder) throws Exception {
    Process process = start(folder, NEVER);
    assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  private static Process start(Path folder, String stage) throws IOException {
    String java =
        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
    List<String> command = new ArrayList<>(List.of(java));
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add("-Xmx512m");
    command.add("-Dorg.bytedeco.javacpp.maxphysicalbytes=0"); // a CUDA context takes more
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(KilledMain.class.getName(), folder.toString(), stage));
    return new ProcessBuilder(command).inheritIO().start();
  }
}
