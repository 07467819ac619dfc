/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.Pace;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.LossAndAccuracy;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import me.tongfei.progressbar.ProgressBarConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

class TerminalTest {

  /** A bar cuts long messages off, and says nothing about a stage without epochs. */
  @Test
  void aStageHasNoBarBeforeItLearns() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    try (BarProgress progress = new BarProgress("spd", out, null)) {
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
    try (LineProgress progress = new LineProgress("spd", out)) {
      progress.stageStarted(Stage.HEAD, 2, 64);
      progress.batchDone(32, 1.5, 0.5);
      progress.message("rates are cut");
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines("spd: rates are cut");
  }

  @Test
  void thePhasesComeFirst() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    new LineProgress("spd", out).planned(List.of("1. Fit", "2. Learn 100 %"));
    assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
        .containsExactly("spd: 1. Fit", "spd: 2. Learn 100 %");
  }

  /** The library that opens the terminal leaves signals to the system. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aBarLeavesSignalsToWhoeverHandlesThem() throws Exception {
    CountDownLatch handled = new CountDownLatch(1);
    Signals.handle("WINCH", handled::countDown);
    Class<?> type = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    Object signal = type.getConstructor(String.class).newInstance("WINCH");
    Object system = handler.getField("SIG_DFL").get(null);
    type.getMethod("handle", type, handler).invoke(null, signal, system);
    try (BarProgress progress = new BarProgress("spd", System.out, new Lines(80))) {
      progress.stageStarted(Stage.HEAD, 2, 64);
      progress.batchDone(32, 1.5, 0.5);
      type.getMethod("raise", type).invoke(null, signal);
      assertThat(handled.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** Keeps what a terminal of some width would show. */
  private static final class Lines implements ProgressBarConsumer {
    private final int columns;
    private final Thread test = Thread.currentThread();
    private final List<String> shown = new CopyOnWriteArrayList<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();

    Lines(int columns) {
      this.columns = columns;
    }

    @Override
    public int getMaxRenderedLength() {
      return columns;
    }

    @Override
    public void accept(String line) {
      shown.add(line);
      if (Thread.currentThread() == test) {
        asked.add(line);
      }
    }

    @Override
    public void close() {}

    String last() {
      return shown.get(shown.size() - 1);
    }

    /** Goes on until such a line was shown; a bar has a thread of its own, and shows news alone. */
    void await(BarProgress progress, IntConsumer step, String... parts) {
      for (int i = 1; i < 1000 && shown.stream().noneMatch(line -> has(line, parts)); i++) {
        step.accept(i);
        progress.show();
      }
      assertThat(shown).anyMatch(line -> has(line, parts));
    }

    private static boolean has(String line, String... parts) {
      return Stream.of(parts).allMatch(line::contains);
    }

    /** Shows a batch; with another image if the bar's own thread was first: it shows news alone. */
    void ask(BarProgress progress, int images, double loss, double accuracy) {
      asked.clear();
      for (int done = images; asked.isEmpty(); done++) {
        progress.batchDone(done, loss, accuracy);
        progress.show();
      }
    }

    /** What the test asked for; the bar's own thread may show what it was a moment ago. */
    String lastAsked() {
      return asked.get(asked.size() - 1);
    }
  }

  private static String stage(String task, int columns, int epochsBefore) {
    Lines lines = new Lines(columns);
    try (BarProgress progress = new BarProgress(task, System.out, lines)) {
      progress.stageStarted(Stage.HEAD, 30, 1000);
      if (epochsBefore > 0) {
        progress.stageResumed(epochsBefore);
      }
      progress.batchDone(400, 2, 0.2);
      lines.ask(progress, 500, 1.9351, 0.2231);
      assertThat(lines.lastAsked()).hasSize(columns); // nothing is left of a longer line
      return lines.lastAsked().strip();
    }
  }

  @Test
  void aLineFitsTheTerminalWithAllItsFigures() {
    String figures = "left, epoch 1 of 30, loss 1.94, accuracy 22 %";
    assertThat(stage("training", 80, 0))
        .startsWith("training, stage 1   2 % ░")
        .endsWith(figures)
        .hasSizeLessThanOrEqualTo(80);
    String longName = "folders-nested_as-foldered_split1_spd-root_seed1";
    assertThat(stage(longName, 80, 0))
        .startsWith("fold")
        .contains("…", "stage 1 ")
        .endsWith(figures)
        .hasSizeLessThanOrEqualTo(80);
    assertThat(stage("conv512-b-cnn", 72, 0)).startsWith("stage 1 ").endsWith(figures);
    assertThat(stage(longName, 100, 0)).contains("_seed1, stage 1 ");
    assertThat(stage("training", 200, 0)).endsWith(figures).hasSizeLessThan(120);
    assertThat(stage(longName, 30, 0)).hasSizeLessThanOrEqualTo(30);
  }

  private static EpochRecord epoch(int epoch, double training, double validation) {
    return new EpochRecord(
        Stage.HEAD,
        epoch,
        accuracy(training),
        accuracy(validation),
        Map.of(LayerGroup.CLASSIFIER, 0.1),
        1,
        null);
  }

  private static LossAndAccuracy accuracy(double share) {
    LossAndAccuracy accuracy = new LossAndAccuracy();
    accuracy.add(100, (int) Math.round(100 * share), 50);
    return accuracy;
  }

  /** 100 % on images that are learnt says little; what counts stands beside it. */
  @Test
  void validationStandsBesideTrainingWithTheBestMarked() {
    Lines lines = new Lines(80);
    try (BarProgress progress = new BarProgress("training", System.out, lines)) {
      progress.stageStarted(Stage.HEAD, 30, 1000);
      progress.batchDone(500, 2, 0.2);
      progress.epochDone(epoch(1, 0.6, 0.88));
      lines.ask(progress, 100, 0.1, 0.999);
      assertThat(lines.lastAsked().strip())
          .endsWith("epoch 2 of 30, training 100 %, validation 88 % (best)");
      progress.epochDone(epoch(11, 0.9, 0.87));
      lines.ask(progress, 500, 0.01, 1);
      assertThat(lines.lastAsked().strip())
          .endsWith("epoch 12 of 30, training 100 %, validation 87 % (best 88 %)");
    }
  }

  @Test
  void linesMarkTheBestToo() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    try (LineProgress progress = new LineProgress("spd", out)) {
      progress.stageStarted(Stage.HEAD, 2, 64);
      progress.epochDone(epoch(1, 0.6, 0.88));
      progress.epochDone(epoch(2, 1, 0.87));
      progress.stageResumed(2); // what was best before is not known
      progress.epochDone(epoch(3, 1, 0.89));
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("accuracy 60.0 %, validation 88.0 % (best), 1.0 s"),
            line -> assertThat(line).contains("100.0 %, validation 87.0 % (best 88.0 %), 1.0 s"),
            line -> assertThat(line).contains("100.0 %, validation 89.0 %, 1.0 s"));
  }

  /** In a file too, whatever takes long says how far it is: features, fits, epochs. */
  @Test
  void whatTakesLongSaysSoInLines() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Pace.Pause none = new Pace.Pause(Duration.ZERO, Duration.ZERO);
    try (LineProgress progress = new LineProgress("spd", out, () -> new Pace("images", none))) {
      IntStream.of(10, 20, 30).forEach(done -> progress.featuresDone(done, 30));
      LongStream.of(10, 20, 10, 20).forEach(done -> progress.fitDone(done, 30));
      progress.stageStarted(Stage.HEAD, 5, 30);
      IntStream.of(10, 20, 30).forEach(done -> progress.batchDone(done, 1, 1));
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
        .containsExactly(
            "spd, features: 20 of 30 images, 0:00 left",
            "spd, classifier: 20 of 30 images, 0:00 left",
            "spd, classifier: 20 of 30 images, 0:00 left",
            "spd, stage 1, epoch 1: 20 of 30 images, 0:00 left");
  }

  /** What is over soon says nothing, and nothing is said twice in half a minute. */
  @Test
  void whatTakesNotLongIsSilent() {
    Pace soon = new Pace("pictures", new Pace.Pause(Duration.ZERO, Duration.ofHours(1)));
    Pace early = new Pace("pictures", new Pace.Pause(Duration.ofHours(1), Duration.ZERO));
    for (int done = 1; done < 10; done++) {
      assertThat(soon.step(done, 10)).isEmpty();
      assertThat(early.step(done, 10)).isEmpty();
    }
    assertThat(soon.step(10, Long.MAX_VALUE)).isPresent();
    assertThat(soon.step(11, Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void aResumedStageGoesOnWithItsEpoch() {
    assertThat(stage("training", 80, 14)).contains(" 48 % ", "epoch 15 of 30");
  }

  @Test
  void aMessageHasALineOfItsOwnAndTheBarGoesOn() {
    Lines lines = new Lines(80);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    try (BarProgress progress = new BarProgress("spd", out, lines)) {
      progress.stageStarted(Stage.HEAD, 4, 100);
      progress.stageResumed(1);
      progress.batchDone(100, 1, 1);
      progress.message("rates are cut, since nothing got better on the validation images");
      assertThat(lines.last()).contains(" 50 % ");
      progress.batchDone(50, 1, 1);
      lines.ask(progress, 60, 1, 1);
      assertThat(lines.lastAsked()).contains(" 40 % ", "epoch 2 of 4");
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines(
            "spd: rates are cut, since nothing got better on the validation images");
  }

  @Test
  void thereIsOneBarAtATime() {
    Lines lines = new Lines(80);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    try (BarProgress progress = new BarProgress("spd", out, lines)) {
      progress.featuresDone(20, 20); // they were there before
      assertThat(lines.shown).isEmpty();
      lines.await(progress, i -> progress.featuresDone(i % 20, 20), "spd, features  50 % ");
      lines.await(
          progress, i -> progress.iterationDone(i, -2.5), "spd, mixture ", "-2.500 log-likelihood");
      progress.message("the mixture is fitted");
      progress.fitDone(1, 2); // too short for a bar
      progress.fitDone(2, 2);
      progress.stageStarted(Stage.HEAD, 2, 10);
      lines.await(progress, i -> progress.batchDone(i % 10, 1, 1), "spd, stage 1  25 % ");
    }
    assertThat(lines.shown).noneMatch(line -> line.contains("classifier"));
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines("spd: the mixture is fitted");
  }

  /** Fourteen epochs were done before the start; half of one took a minute. */
  @Test
  void theTimeLeftIsThatOfTheStepsSinceTheStart() {
    assertThat(Pace.left(500, 15_500, Duration.ofSeconds(60))).isEqualTo("31:00");
    assertThat(Pace.left(1, 7300, Duration.ofSeconds(1))).isEqualTo("2:01:40");
    assertThat(Pace.left(10, 5, Duration.ofMillis(10))).isEqualTo("0:00");
  }
}
