/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import io.github.spd4j.manifold.StiefelGeometry;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Executes {@link StiefelAdam}. Its memory is the first moment m, then s and t. */
final class StiefelAdamStep extends StiefelStep<StiefelAdam> {

  /** s and t, behind the n·p numbers of m. */
  static final int SCALARS = 2;

  StiefelAdamStep(
      StiefelAdam config, INDArray state, boolean initialize, StiefelGeometry geometry) {
    super(config, state, initialize, geometry);
  }

  @Override
  INDArray direction(INDArray w, INDArray gradient, double squares, INDArray memory) {
    long size = w.length();
    double beta1 = getConfig().getBeta1();
    double beta2 = getConfig().getBeta2();
    double[] scalars = geometry().read(memory, size, SCALARS);
    double s = beta2 * scalars[0] + (1 - beta2) * squares / size;
    double t = scalars[1] + 1;
    INDArray moment = memory.get(NDArrayIndex.interval(0, size)).reshape('c', w.shape());
    geometry().addProjection(1 - beta1, gradient, beta1, w, moment);
    moment.assign(gradient);
    geometry().write(memory, size, s, t);

    double rootMeanSquare = Math.sqrt(s / (1 - Math.pow(beta2, t)));
    double scale = (1 - Math.pow(beta1, t)) * (rootMeanSquare + getConfig().getEpsilon());
    return geometry().quotient(moment, scale);
  }
}
