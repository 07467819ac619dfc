/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.spd4j.cli.Commands;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import picocli.CommandLine;

class BenchCommandTest {

  private static final ProgressBarConsumer SILENT = new DelegatingProgressBarConsumer(line -> {});

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... more) {
    List<String> args =
        new ArrayList<>(
            List.of("--batch", "2", "--channels", "8", "--outputs", "5", "--side", "4"));
    args.addAll(List.of("--classes", "3", "--images", "0", "--repeats", "2", "--warm-up", "0.1"));
    String threads = System.getenv("OMP_NUM_THREADS");
    if (threads != null) {
      args.addAll(List.of("--threads", threads));
    }
    args.addAll(List.of("--out", folder.toString()));
    args.addAll(List.of(more));
    CommandLine command = Commands.line(new BenchCommand());
    command.setOverwrittenOptionsAllowed(true);
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(err));
    return command.execute(args.toArray(new String[0]));
  }

  /** With or without PyTorch, whatever this machine has. */
  @Tag("both")
  @Test
  void leavesATableAndAllFigures() throws IOException {
    assertThat(run()).as(err.toString()).isZero();
    assertThat(out.toString()).contains("head, training step", "head, forward", "QR", "POLAR");
    JsonNode figures = new ObjectMapper().readTree(folder.resolve("bench.json").toFile());
    assertThat(figures.get("rows")).hasSize(2);
    assertThat(figures.get("rows").get(1).get("ours").get("median").asDouble()).isPositive();
    assertThat(figures.get("environment").has("commit")).isTrue();
    assertThat(Files.readString(folder.resolve("bench.md")))
        .contains("dl4j: ", "date: ", "head, training step");
  }

  /** Runs that take a known time, and are counted. */
  private static final class Sleep extends Workload {
    private final int milliseconds;
    private int runs;

    Sleep(int milliseconds) {
      super("sleep", "", Map.of(), Map.of());
      this.milliseconds = milliseconds;
    }

    @Override
    void run(String what) {
      runs++;
      try {
        Thread.sleep(milliseconds);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static int runs(int milliseconds) {
    Sleep sleep = new Sleep(milliseconds);
    try (ProgressBar progress = new ProgressBarBuilder().setConsumer(SILENT).build()) {
      Duel.Times times =
          new Duel(Optional.empty(), 1, 0.5, progress).time(sleep, "sleep", "forward");
      assertThat(times.ours().values()).hasSize(1);
    }
    return sleep.runs - 1; // the last is the one that counts
  }

  @Test
  void warmsUpWithOnePassAtLeast() {
    assertThat(runs(600)).isEqualTo(1);
    assertThat(runs(100)).isBetween(2, 5);
  }

  /** As many as take 50 ms. */
  @Test
  void aSampleHasManyShortPasses() {
    assertThat(runs(10)).isGreaterThan(10);
  }

  @Test
  void refusesWhatItCannotDo() {
    assertThat(run("--outputs", "9")).isEqualTo(Commands.USER_ERROR);
    assertThat(run("--python", "no/such/python")).isEqualTo(Commands.USER_ERROR);
    assertThat(run("--repeats", "0")).isEqualTo(Commands.USER_ERROR);
    assertThat(run("--warm-up", "-1")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("--channels 8", "no/such/python", "--repeats", "--warm-up");
  }

  @Test
  void refusesPrecisionsThatAreNotThereOrHaveNoUse() {
    assumeFalse(Bench.isGpu());
    for (String precision : List.of("tf32", "mixed")) {
      assertThat(run("--precision", precision, "--images", "1")).isEqualTo(Commands.USER_ERROR);
      assertThat(err.toString()).contains("--precision " + precision + " needs an NVIDIA GPU");
    }
    assertThat(run("--precision", "tf32", "--images", "0")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("--precision needs convolutions");
    assertThat(run("--precision", "float")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("leave it out");
  }

  private static void requireSame(INDArray ours, INDArray theirs) {
    TorchSide.requireSame("x", ours, theirs, Rounding.FLOAT.tolerance);
  }

  @Test
  void differencesAndNaNsAreFound() {
    requireSame(Nd4j.createFromArray(1.0, 2), Nd4j.createFromArray(1.0, 2.0001));
    assertThatThrownBy(
            () -> requireSame(Nd4j.createFromArray(1.0, 2), Nd4j.createFromArray(1.0, 2.001)))
        .hasMessageContaining("x differ by 5.0");
    assertThatThrownBy(
            () -> requireSame(Nd4j.createFromArray(1, Double.NaN), Nd4j.createFromArray(1.0, 2)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void arithmeticIsCountedByHand() {
    HeadSize size = new HeadSize(2, 3, 2, 5, 4);
    double gram = 2 * 3 * 3 * 25;
    double products = 2 * (3 * 3 * 2 + 3 * 2 * 2);
    double classifier = 2 * 3 * 4;
    assertThat(size.forwardGflop()).isEqualTo(2e-9 * (gram + products + classifier));
    assertThat(size.stepGflop()).isGreaterThan(2 * size.forwardGflop());
  }

  @Test
  void quartilesLieWhereTheyShould() {
    Sample sample = new Sample(new double[] {5, 1, 3, 2, 4});
    assertThat(sample.median()).isEqualTo(3);
    assertThat(sample.lowerQuartile()).isEqualTo(2);
    assertThat(sample.upperQuartile()).isEqualTo(4);
    assertThat(new Sample(new double[] {1, 2}).median()).isEqualTo(1.5);
  }
}
