/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.cli.Main;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that works for a long time takes no more and more memory, threads or file handles.
 *
 * <p>{@code -Dspd4j.soak.minutes=60} is how long each is watched.
 */
@Tag("campaign")
class SoakTest {

  private static final double MINUTES =
      Double.parseDouble(System.getProperty("spd4j.soak.minutes", "60"));

  private static final int LOOKS = 60;
  private static final int THIRDS = 3;

  @TempDir Path folder;

  private final Path pictures =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/datasets/folders");
  private final List<Usage> usages = new ArrayList<>();

  /** What a process has of the system. */
  private record Usage(long kilobytes, long threads, long handles) {

    /** What the C library holds back of memory that was freed is not in use. */
    static Usage of(Child process) throws IOException, InterruptedException {
      String pid = String.valueOf(process.pid());
      String jcmd = System.getProperty("java.home") + "/bin/jcmd";
      new ProcessBuilder(jcmd, pid, "System.trim_native_heap")
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
      Path place = Path.of("/proc", pid);
      List<String> status = Files.readAllLines(place.resolve("status"));
      try (Stream<Path> handles = Files.list(place.resolve("fd"))) {
        return new Usage(number(status, "VmRSS:"), number(status, "Threads:"), handles.count());
      }
    }

    private static long number(List<String> status, String name) {
      return status.stream()
          .filter(line -> line.startsWith(name))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElseThrow();
    }
  }

  @BeforeEach
  void requireLinux() {
    assumeTrue(Files.exists(Path.of("/proc/self/fd")), "needs Linux's /proc");
  }

  static List<String> train(Path pictures, Path run) {
    return List.of(
        "train",
        pictures.toString(),
        "--out=" + run,
        "--backbone=random",
        "--size=32",
        "--batch=4",
        "--epochs-head=2",
        "--epochs-whole=1");
  }

  /** Starts a process whose heap has its full size from the start, so that other memory shows. */
  private Child start(Class<?> program, List<String> arguments) {
    return new Child(
        folder.resolve("output.txt"),
        List.of("-Xms160m", "-Xmx160m", "-XX:+UseSerialGC", "-XX:+AlwaysPreTouch"),
        program,
        arguments);
  }

  /** Gives a process work for the time of the soak, and looks at it now and then. */
  private void watch(Child process, Callable<Integer> work) throws Exception {
    long start = System.nanoTime();
    double nanos = MINUTES * TimeUnit.MINUTES.toNanos(1);
    while (System.nanoTime() - start < nanos) {
      work.call();
      assertThat(process.isAlive()).as(process.output()).isTrue();
      if (System.nanoTime() - start > usages.size() * nanos / LOOKS) {
        usages.add(Usage.of(process));
      }
    }
  }

  /** The first third is there to warm up. */
  private void requireFlat(String what, ToLongFunction<Usage> measure, long slack) {
    int third = usages.size() / THIRDS;
    long before = usages.subList(third, 2 * third).stream().mapToLong(measure).max().orElseThrow();
    long after =
        usages.subList(2 * third, usages.size()).stream().mapToLong(measure).max().orElseThrow();
    System.out.printf("  %s: at most %d in the middle, %d in the end%n", what, before, after);
    assertThat(after).as(what).isLessThanOrEqualTo(before + slack);
  }

  private void requireFlat() {
    requireFlat("kilobytes", Usage::kilobytes, 24 << 10);
    requireFlat("threads", Usage::threads, 3);
    requireFlat("file handles", Usage::handles, 8);
  }

  @Test
  void trainingStaysAsItIs() throws Exception {
    List<String> places = List.of(pictures.toString(), folder.toString());
    try (Child process = start(TrainingLoop.class, places)) {
      watch(
          process,
          () -> {
            TimeUnit.SECONDS.sleep(1);
            return 0;
          });
    }
    String runs = Files.readString(folder.resolve("runs"));
    System.out.printf("%s runs in %.0f minutes%n", runs, MINUTES);
    requireFlat();
  }

  @Test
  void servingStaysAsItIs() throws Exception {
    assumeTrue(Main.commandLine().getSubcommands().containsKey("serve"), "there is no serve");
    Path run = folder.resolve("run");
    try (Child training = start(Main.class, train(pictures, run))) {
      assertThat(training.exitCode()).as(training.output()).isZero();
    }
    int[] answers = new int[1];
    try (Child process = start(Main.class, List.of("serve", run.toString(), "--port=0"))) {
      HttpRequest request = process.prediction(pictures.resolve("leaf/1.png"));
      HttpClient client = HttpClient.newHttpClient();
      watch(
          process,
          () -> {
            HttpResponse<String> answer =
                client.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            return answers[0]++;
          });
    }
    System.out.printf("%d requests in %.0f minutes%n", answers[0], MINUTES);
    requireFlat();
  }
}
