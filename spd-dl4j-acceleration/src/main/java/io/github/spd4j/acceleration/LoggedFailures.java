/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import java.util.function.Supplier;
import org.nd4j.linalg.exception.ND4JOpProfilerException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Work of a library, whose failures DL4J would hide. */
final class LoggedFailures {

  private static final Logger LOG = LoggerFactory.getLogger(LoggedFailures.class);

  private LoggedFailures() {}

  /**
   * Does a piece of work, and says so if it fails.
   *
   * @param failed what to say then
   */
  static <T> T run(String failed, Supplier<T> work) {
    try {
      return work.get();
    } catch (ND4JOpProfilerException e) {
      throw e; // what the user asked ND4J to watch for
    } catch (RuntimeException e) {
      String failure = failed + ": " + e.getMessage();
      LOG.warn(
          "{}. From now on DL4J computes this layer by itself: right, but slow. With"
              + " helperAllowFallback(false) on the layer it throws instead.",
          failure,
          e);
      throw new IllegalStateException(failure, e); // DL4J needs a message
    }
  }
}
