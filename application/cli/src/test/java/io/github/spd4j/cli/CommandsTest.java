/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.UserException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** How a command ends that fails in one way or another. */
class CommandsTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Command(name = "fails", mixinStandardHelpOptions = true)
  private static final class Fails implements Callable<Integer> {

    private final Throwable failure;

    Fails(Throwable failure) {
      this.failure = failure;
    }

    @Override
    public Integer call() throws Exception {
      if (failure instanceof Error error) {
        throw error;
      }
      throw (Exception) failure;
    }
  }

  private int run(Throwable failure, String... arguments) {
    CommandLine line = Commands.line(new Fails(failure));
    return line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
  }

  private void requireLine(Throwable failure, String... words) {
    err.getBuffer().setLength(0);
    assertThat(run(failure)).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).hasLineCount(1).contains(words);
  }

  @Test
  void whatTheUserCanPutRightGetsOneLine() {
    requireLine(new UserException("expected this,\n got that"), "expected this, got that");
    requireLine(
        new UncheckedIOException("cannot write x", new IOException("No space left on device")),
        "cannot write x (No space left on device)");
    requireLine(new AccessDeniedException("x/model.zip"), "x/model.zip: no permission\n");
    requireLine(
        new IllegalStateException(new AccessDeniedException("x/model.zip")),
        "x/model.zip: no permission\n");
    requireLine(
        new UncheckedIOException("cannot read x", new AccessDeniedException("x")),
        "cannot read x (no permission)");
    requireLine(
        new UncheckedIOException("cannot read all of x", new NoSuchFileException("x/y")),
        "cannot read all of x (x/y: it is not there)");
    requireLine(new UncheckedIOException(new IOException("Input/output error")), "Input/output");
    assertThat(err.toString()).doesNotContain("Exception");
  }

  @Test
  void tooLittleMemoryIsTheMachinesWhereverItIsNoticed() {
    OutOfMemoryError error = new OutOfMemoryError("Java heap space");
    requireLine(error, "not enough memory (Java heap space)", "--batch", "SPD_JAVA_OPTIONS");
    requireLine(new CompletionException(new RuntimeException(error)), "not enough memory");
  }

  @Test
  void aFullCardIsTheMachines() {
    RuntimeException full =
        new RuntimeException("cudaMalloc failed; Bytes: [26214400]; Error code [2]; DEVICE [0]");
    requireLine(full, "the memory of the GPU is full (cudaMalloc failed", "--batch", "programs");
    requireLine(new CompletionException(full), "the memory of the GPU is full");
  }

  @Test
  void aNativeLibraryThatIsMissingIsTheMachines() {
    Throwable missing = new UnsatisfiedLinkError("no jnind4jcpu in java.library.path");
    requireLine(new ExceptionInInitializerError(missing), "a native library cannot be loaded (no");
    Error copy = new UnsatisfiedLinkError(); // as a parallel stream throws it
    requireLine(copy.initCause(missing), "a native library cannot be loaded (no");
  }

  @Test
  void aMistakeOfTheProgramIsToBeReported() throws IOException {
    for (Throwable failure :
        new Throwable[] {new NullPointerException("of\nours"), new StackOverflowError("of ours")}) {
      err.getBuffer().setLength(0);
      assertThat(run(failure)).isEqualTo(Commands.FAILURE);
      assertThat(err.toString()).hasLineCount(2).contains("of ours").doesNotContain("\tat ");
      Matcher file =
          Pattern.compile("Please report it, with the file (.*)\\.\\R").matcher(err.toString());
      assertThat(file.find()).isTrue();
      Path report = Path.of(file.group(1));
      assertThat(report)
          .content()
          .contains("java.version", failure.toString(), "\tat " + getClass().getName());
      Files.delete(report);
    }
  }

  /** As where {@code > /dev/full} stands behind a command. */
  @Test
  void whatCannotBePrintedIsNoSuccess() {
    PrintStream before = System.out;
    PrintStream full = new PrintStream(OutputStream.nullOutputStream());
    full.close();
    System.setOut(full);
    try {
      System.out.println("lost");
      assertThat(run(null, "--help")).isEqualTo(Commands.USER_ERROR);
    } finally {
      System.setOut(before);
    }
    assertThat(err.toString()).hasLineCount(1).contains("not all could be printed");
  }

  @Test
  void theHelpListsTheExitCodes() {
    assertThat(run(null, "--help")).isZero();
    assertThat(out.toString()).contains("Exit codes:", "  0  ", "  1  ", "  2  ", "130, 143");
  }
}
