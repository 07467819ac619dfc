/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.launcher;

import io.github.spd4j.cli.Main;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code ./spd} in a process of its own, to be interrupted at some moment. */
final class Child implements AutoCloseable {

  private static final Path STATUS = Path.of("/proc/self/status");

  private static final long GLANCE_NANOS = 1_000_000;
  private static final long LIMIT_NANOS = 120_000_000_000L;

  private final Process process;
  private final Path output;

  /**
   * Starts a command.
   *
   * @param output where all that it prints goes
   * @param arguments the command and its options
   */
  Child(Path output, List<String> arguments) {
    this(output, likeThisProcess("-Xmx512m"), Main.class, arguments);
  }

  /**
   * Starts a program.
   *
   * @param output where all that it prints goes
   * @param options for Java
   * @param program its main class
   * @param arguments its arguments
   */
  Child(Path output, List<String> options, Class<?> program, List<String> arguments) {
    this.output = output;
    List<String> words = new ArrayList<>();
    words.add(System.getProperty("java.home") + "/bin/java");
    words.addAll(options);
    words.add("-Dorg.bytedeco.javacpp.maxphysicalbytes=0");
    Collections.addAll(words, "-cp", System.getProperty("java.class.path"), program.getName());
    words.addAll(arguments);
    try {
      process =
          new ProcessBuilder(words)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The options for Java of this process, and others. */
  static List<String> likeThisProcess(String... others) {
    List<String> options =
        new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
    Collections.addAll(options, others);
    return options;
  }

  /** Whether this process, and so the one that it starts, ignores Ctrl-C. */
  static boolean ignoresInterrupts() throws IOException {
    return !Files.exists(STATUS)
        || Files.readAllLines(STATUS).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .map(line -> Long.parseUnsignedLong(line.substring("SigIgn:".length()).strip(), 16))
            .anyMatch(mask -> (mask & 2) != 0);
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** What it has printed up to now. */
  String output() throws IOException {
    return Files.readString(output);
  }

  /** Waits until it has printed something, or has ended. */
  void awaitOutput(String text) throws IOException {
    long end = System.nanoTime() + LIMIT_NANOS;
    while (isAlive() && !output().contains(text)) {
      rest(end);
    }
  }

  private void rest(long end) throws IOException {
    if (System.nanoTime() > end) {
      throw hanging();
    }
    LockSupport.parkNanos(GLANCE_NANOS);
  }

  private AssertionError hanging() throws IOException {
    return new AssertionError("hangs, after it printed\n" + output());
  }

  /**
   * Waits until the files of a folder have changed so many times, as far as can be seen, or the
   * process has ended.
   *
   * @return how many times they have
   */
  int awaitChanges(Path folder, int most) throws IOException {
    long end = System.nanoTime() + LIMIT_NANOS;
    int seen = 0;
    Set<String> before = files(folder);
    while (seen < most && isAlive()) {
      Set<String> now = files(folder);
      seen += now.equals(before) ? 0 : 1;
      before = now;
      rest(end);
    }
    return seen;
  }

  /** The names of files in a folder, and of those below it. */
  static Set<String> files(Path folder) {
    if (!Files.isDirectory(folder)) {
      return Set.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .map(file -> folder.relativize(file).toString())
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (IOException | UncheckedIOException e) { // one was deleted meanwhile
      return Set.of("…");
    }
  }

  /**
   * Sends a signal and waits for the end.
   *
   * @return how long the process took, in seconds
   */
  double end(String signal) throws IOException, InterruptedException {
    long start = System.nanoTime();
    new ProcessBuilder("kill", "-s", signal, String.valueOf(process.pid())).start().waitFor();
    exitCode();
    return (System.nanoTime() - start) / 1e9;
  }

  /** Waits for the end. */
  int exitCode() throws InterruptedException, IOException {
    if (!process.waitFor(LIMIT_NANOS, TimeUnit.NANOSECONDS)) {
      throw hanging();
    }
    return process.exitValue();
  }

  /** A request to the service that the process is. */
  HttpRequest prediction(Path picture) throws IOException {
    awaitOutput("Ctrl-C stops it");
    Matcher address = Pattern.compile("http://[\\d.]+:\\d+").matcher(output());
    if (!address.find()) {
      throw new AssertionError("serves nothing, after it printed\n" + output());
    }
    return HttpRequest.newBuilder(URI.create(address.group()).resolve("/v1/predict"))
        .header("Content-Type", "image/png")
        .POST(HttpRequest.BodyPublishers.ofFile(picture))
        .build();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
