/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

/** Which weights the network has after training. */
public enum KeptWeights {
  /**
   * Those of the epoch with the highest validation accuracy; of equals, the lowest loss. Without
   * validation, the last.
   */
  BEST,
  /** Those of the last epoch that was not rolled back. */
  LAST
}
