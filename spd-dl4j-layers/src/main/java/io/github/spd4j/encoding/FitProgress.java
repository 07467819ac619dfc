/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

/**
 * Is told how the fit of a mixture goes on. All calls come from the thread that fits, and an
 * exception that a method throws ends the fit.
 */
public interface FitProgress {

  /** Listens to nothing. */
  FitProgress NONE = new FitProgress() {};

  /**
   * Descriptors of more images were read.
   *
   * @param images images that are done
   * @param descriptors descriptors of them
   */
  default void imagesDone(long images, long descriptors) {}

  /**
   * An iteration of expectation maximisation is over.
   *
   * @param iteration which one, from 1
   * @param meanLogLikelihood how well the mixture before it explained a descriptor
   */
  default void iterationDone(int iteration, double meanLogLikelihood) {}

  /**
   * A component without descriptors begins anew.
   *
   * @param component which one, from 0
   */
  default void componentReseeded(int component) {}
}
