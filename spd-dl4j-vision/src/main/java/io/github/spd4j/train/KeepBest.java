/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import org.nd4j.linalg.api.ndarray.INDArray;

/** Goes back to the best epoch so far, if any was good. */
final class KeepBest implements Phase {

  @Override
  public void run(StageRun stage) {
    INDArray best = stage.state().best();
    if (best != null) {
      stage.net().params().assign(best);
    }
  }

  @Override
  public String toString() {
    return "Keep the best epoch";
  }
}
