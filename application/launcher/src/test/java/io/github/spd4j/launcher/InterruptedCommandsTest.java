/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.cli.Main;
import io.github.spd4j.testing.Generator;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipFile;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commands that are killed, or ended by a signal, at random moments: each leaves soon, loses
 * nothing, and ends with the same bits when it is run again.
 */
class InterruptedCommandsTest {

  /** What is promised; a build machine may be busy with other tests. */
  private static final double PROMISED_SECONDS = Generator.isCampaign() ? 5 : 60;

  private static final int PICTURES = 24;
  private static final int SIZE = 64;

  /** What a command prints that can be resumed from now on. */
  private static final String BEGUN = "reading each once";

  @TempDir static Path folder;

  private static Path pictures;
  private static Path whole;
  private static int changes;
  private static double seconds;

  private Random random;
  private int children;
  private int cases;
  private double longest;

  /** A run that nobody interrupts. */
  @BeforeAll
  static void runUndisturbed() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/bin/kill")), "needs kill, for signals");
    pictures = folder.resolve("pictures");
    for (String label : List.of("across", "along")) {
      Path target = Files.createDirectories(pictures.resolve(label));
      Random random = new Random(label.hashCode());
      for (int i = 0; i < PICTURES; i++) {
        stripes(label.equals("across"), random, target.resolve(i + ".png"));
      }
    }
    whole = folder.resolve("whole");
    try (Child child = new Child(folder.resolve("whole.txt"), train(whole))) {
      child.awaitOutput(BEGUN);
      long start = System.nanoTime();
      changes = child.awaitChanges(whole, Integer.MAX_VALUE);
      seconds = (System.nanoTime() - start) / 1e9;
      assertThat(child.exitCode()).as(child.output()).isZero();
    }
  }

  private static void stripes(boolean across, Random random, Path file) throws IOException {
    BufferedImage image = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    for (int i = 0; i < SIZE; i += 2) {
      graphics.setColor(new Color(random.nextInt(1 << 24)));
      graphics.fillRect(across ? 0 : i, across ? i : 0, across ? SIZE : 2, across ? 2 : SIZE);
    }
    graphics.dispose();
    ImageIO.write(image, "png", file.toFile());
  }

  private static List<String> train(Path run) {
    return List.of(
        "train",
        pictures.toString(),
        "--out=" + run,
        "--backbone=random",
        "--size=" + SIZE,
        "--batch=8",
        "--epochs-head=3",
        "--epochs-whole=2");
  }

  private Child start(List<String> arguments) {
    return new Child(folder.resolve("child" + children++ + ".txt"), arguments);
  }

  /** Waits for some moment of a run: one of its writes, or any. */
  private void awaitMoment(Child child, Path run) throws Exception {
    child.awaitOutput(BEGUN);
    if (random.nextBoolean()) {
      child.awaitChanges(run, 1 + random.nextInt(changes));
      TimeUnit.MICROSECONDS.sleep(random.nextInt(5000));
    } else {
      TimeUnit.MILLISECONDS.sleep((long) (1000 * seconds * random.nextDouble()));
    }
  }

  private static void requireSame(Path run) throws IOException {
    assertThat(Child.files(run)).isEqualTo(Child.files(whole));
    assertThat(run.resolve("predictions.csv"))
        .hasSameBinaryContentAs(whole.resolve("predictions.csv"));
    assertThat(weights(run)).isEqualTo(weights(whole));
  }

  private static byte[] weights(Path run) throws IOException {
    try (ZipFile zip = new ZipFile(run.resolve("model.zip").toFile())) {
      return zip.getInputStream(zip.getEntry("coefficients.bin")).readAllBytes();
    }
  }

  /** The ways to end, with the exit code of each. */
  private enum Signal {
    KILL(128 + 9),
    INT(128 + 2),
    TERM(128 + 15);

    final int exitCode;

    Signal(int exitCode) {
      this.exitCode = exitCode;
    }
  }

  private Signal politeSignal() throws IOException {
    return random.nextBoolean() || Child.ignoresInterrupts() ? Signal.TERM : Signal.INT;
  }

  /** Ends a process by a signal, unless it was faster. */
  private boolean end(Child child, Signal signal) throws Exception {
    double took = child.end(signal.name());
    if (child.exitCode() == 0) {
      return false;
    }
    assertThat(child.exitCode()).as(child.output()).isEqualTo(signal.exitCode);
    assertThat(took).as("seconds after SIG" + signal).isLessThan(PROMISED_SECONDS);
    longest = Math.max(longest, took);
    return true;
  }

  @Test
  void aRunGoesOnToTheSameModel() throws Exception {
    int[] ended = new int[Signal.values().length];
    Generator.ENDED_TRAININGS.each(
        seed -> {
          random = new Random(seed);
          Path run = folder.resolve("run" + cases++);
          List<Signal> signals = Arrays.asList(Signal.KILL, politeSignal());
          Collections.shuffle(signals, random);
          for (Signal signal : signals) {
            ended[signal.ordinal()] += interrupt(run, signal) ? 1 : 0;
          }
          try (Child child = start(train(run))) {
            assertThat(child.exitCode()).as(child.output()).isZero();
          }
          requireSame(run);
        });
    System.out.printf(
        "%d changes of files seen in a run; %d runs, ended %d times by SIGKILL, %d by SIGINT, %d by"
            + " SIGTERM, went on to the same bits; the longest took %.1f s to end%n",
        changes, cases, ended[0], ended[1], ended[2], longest);
  }

  private boolean interrupt(Path run, Signal signal) throws Exception {
    try (Child child = start(train(run))) {
      awaitMoment(child, run);
      if (!end(child, signal)) {
        return false;
      }
      if (signal != Signal.KILL && !Files.exists(run.resolve("result.json"))) {
        assertThat(child.output())
            .contains("Interrupted. What is done is kept; run again to resume:")
            .contains("./spd train " + pictures);
      }
      return true;
    }
  }

  @Test
  @Tag("campaign")
  void aPredictionLeavesNothingHalf() throws Exception {
    Path all = folder.resolve("all.csv");
    long start = System.nanoTime();
    try (Child child = start(predict(all))) {
      assertThat(child.exitCode()).as(child.output()).isZero();
    }
    double whole = (System.nanoTime() - start) / 1e9;
    Generator.ENDED_PREDICTIONS.each(
        seed -> {
          random = new Random(seed);
          Path answers = folder.resolve("answers" + seed + ".csv");
          try (Child child = start(predict(answers))) {
            TimeUnit.MILLISECONDS.sleep((long) (1000 * whole * random.nextDouble()));
            cases += end(child, politeSignal()) ? 1 : 0;
            assertThat(child.output()).doesNotContain("Exception");
          }
          if (Files.exists(answers)) {
            assertThat(answers).hasSameBinaryContentAs(all);
          }
        });
    System.out.printf(
        "%d predictions were ended, the longest took %.1f s to end%n", cases, longest);
  }

  private static List<String> predict(Path answers) {
    return List.of("predict", whole.toString(), pictures.toString(), "--csv=" + answers);
  }

  /** All that is on the class path of {@code ./spd} is there, and its log. */
  @Test
  void theLogOfAServiceSaysWhichEngineAnswers() throws Exception {
    assumeTrue(Main.commandLine().getSubcommands().containsKey("serve"), "there is no serve");
    Path log = Path.of(System.getProperty("spd4j.root"), "application/launcher/src/main/resources");
    try (Child child =
        new Child(
            folder.resolve("engine.txt"),
            Child.likeThisProcess(
                "-Xmx512m", "-Dlogback.configurationFile=" + log.resolve("logback.xml")),
            Main.class,
            List.of("serve", whole.toString(), "--port=0", "--engine=onnxruntime"))) {
      HttpRequest request = child.prediction(pictures.resolve("along/0.png"));
      assertThat(
              HttpClient.newHttpClient()
                  .send(request, HttpResponse.BodyHandlers.ofString())
                  .statusCode())
          .isEqualTo(200);
      assertThat(child.output()).containsOnlyOnce("ONNX Runtime computes the answers");
    }
  }

  @Test
  @Tag("campaign")
  void aServiceLeavesSoon() throws Exception {
    assumeTrue(Main.commandLine().getSubcommands().containsKey("serve"), "there is no serve");
    Path picture = pictures.resolve("along/0.png");
    Generator.ENDED_SERVICES.each(
        seed -> {
          random = new Random(seed);
          try (Child child = start(List.of("serve", whole.toString(), "--port=0"))) {
            HttpRequest request = child.prediction(picture);
            HttpClient client = HttpClient.newHttpClient();
            for (int j = 0; j < 8; j++) { // these are under way when the signal comes
              client.sendAsync(request, HttpResponse.BodyHandlers.discarding());
            }
            TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
            assertThat(end(child, politeSignal())).isTrue();
          }
        });
    System.out.printf("the longest service took %.1f s to end%n", longest);
  }
}
