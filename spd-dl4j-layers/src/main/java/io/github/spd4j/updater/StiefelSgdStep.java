/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import io.github.spd4j.manifold.StiefelGeometry;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Executes {@link StiefelSgd}. Its memory is the momentum v. */
final class StiefelSgdStep extends StiefelStep<StiefelSgd> {

  StiefelSgdStep(StiefelSgd config, INDArray state, boolean initialize, StiefelGeometry geometry) {
    super(config, state, initialize, geometry);
  }

  @Override
  INDArray direction(INDArray w, INDArray gradient, double squares, INDArray memory) {
    if (memory == null) {
      return gradient;
    }
    INDArray momentum = memory.reshape('c', w.shape());
    geometry().addProjection(1, gradient, getConfig().getMomentum(), w, momentum);
    return momentum.assign(gradient);
  }
}
