/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The physical memory of this process, as Linux counts it.
 *
 * <p>The peak of a piece of work is the largest resident set while it runs, less the resident set
 * before: parameters, gradients, buffers that are kept and buffers that are not, all of it. Both
 * sides are measured in this way.
 */
final class ResidentSet {

  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path CLEAR = Path.of("/proc/self/clear_refs");

  private ResidentSet() {}

  /**
   * Runs something and measures its peak.
   *
   * @param work what to run
   * @return bytes, or nothing where the system does not tell
   */
  static OptionalLong peakOf(Runnable work) {
    try {
      System.gc();
      long before = bytes("VmRSS:");
      Files.writeString(CLEAR, "5"); // resets the peak
      work.run();
      return OptionalLong.of(bytes("VmHWM:") - before);
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }

  private static long bytes(String field) throws IOException {
    return Files.readAllLines(STATUS).stream()
        .filter(line -> line.startsWith(field))
        .map(line -> line.replaceAll("\\D", ""))
        .mapToLong(kilobytes -> 1024 * Long.parseLong(kilobytes))
        .findFirst()
        .orElseThrow(() -> new IOException("no " + field));
  }
}
