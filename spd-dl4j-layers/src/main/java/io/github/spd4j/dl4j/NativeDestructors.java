/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.dl4j;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.openblas.global.openblas;
import org.slf4j.LoggerFactory;

/**
 * What native libraries do when the process ends, and how to do without it.
 *
 * <p>OpenBLAS waits for its threads then. If a thread of Java is still computing, as it is when a
 * signal ends a training, OpenBLAS may wait for ever: the process hangs after the last shutdown
 * hook, takes no processor and heeds no signal but {@code SIGKILL}. {@link Runtime#halt} is no way
 * out, because the JVM calls C's {@code exit} in either case, which runs the destructors.
 *
 * <p>A program calls {@link #skipAtExit} once. The JVM then ends as always, with all shutdown hooks
 * and its exit code, but the system takes the rest back at once.
 */
public final class NativeDestructors {

  /** The files that are mapped into the memory of this process, on Linux. */
  private static final Path MAPS = Path.of("/proc/self/maps");

  private static final long SKIP_MILLIS = 300;

  private static final AtomicBoolean HOOKED = new AtomicBoolean();

  private NativeDestructors() {}

  /**
   * Lets the process end without them, whoever ends it. What native libraries have yet to write to
   * C's own streams is lost. It works with glibc, so on most Linux; elsewhere it changes nothing.
   */
  public static void skipAtExit() {
    if (HOOKED.compareAndSet(false, true)) {
      // As late as possible: of the functions that exit() calls, the last comes first.
      Thread hook = new Thread(NativeDestructors::skip, "skips native destructors");
      Runtime.getRuntime().addShutdownHook(hook);
    }
  }

  /**
   * Ends the process at once, without them and without shutdown hooks, whatever other threads do.
   *
   * @param exitCode the exit code of the process
   */
  public static void halt(int exitCode) {
    Thread skipping = new Thread(NativeDestructors::skip, "skips native destructors");
    skipping.setDaemon(true);
    skipping.start();
    try {
      skipping.join(SKIP_MILLIS); // a thread that is loading a library may have JavaCPP's lock
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // there is no reason to wait then
    }
    Runtime.getRuntime().halt(exitCode);
  }

  private static void skip() {
    try {
      if (isBlasLoaded()) {
        atExit("_exit");
      }
    } catch (IOException | LinkageError | RuntimeException e) { // it ends as it would have anyway
      LoggerFactory.getLogger(NativeDestructors.class).debug("destructors are not skipped", e);
    }
  }

  /** A program that did not compute ends at once; to ask JavaCPP would load its own library. */
  private static boolean isBlasLoaded() throws IOException {
    try (Stream<String> lines = Files.lines(MAPS)) {
      return lines.anyMatch(line -> line.contains("openblas"));
    }
  }

  /** Lets C's {@code exit} call a function with the exit code. */
  static void atExit(String function) {
    Loader.load(openblas.class);
    Pointer onExit = Loader.addressof("on_exit");
    Pointer called = Loader.addressof(function);
    if (onExit == null || called == null) {
      throw new UnsupportedOperationException("expected a C library with on_exit, such as glibc");
    }
    // JavaCPP has a class for functions of two pointers: an address and, for callbacks, an object.
    Pointer place = new PointerPointer<Pointer>(2).put(0, onExit).put(1, (Pointer) null);
    new openblas.LAPACK_S_SELECT2(place).call(new FloatPointer(called), null);
  }
}
