/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.manifold.Stiefel;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Executes {@link StiefelAdam}. Its memory is the first moment m, then s and t. */
final class StiefelAdamStep extends StiefelStep<StiefelAdam> {

  /** s and t, behind the n·p numbers of m. */
  static final int SCALARS = 2;

  StiefelAdamStep(StiefelAdam config, INDArray state, boolean initialize) {
    super(config, state, initialize);
  }

  @Override
  INDArray direction(INDArray w, INDArray gradient, INDArray memory, int iteration, int epoch) {
    long size = w.length();
    double beta1 = getConfig().getBeta1();
    double beta2 = getConfig().getBeta2();
    double gradientSquares = Matrices.squaredNorm(gradient);

    double t = memory.getDouble(size + 1) + 1;
    double s = beta2 * memory.getDouble(size) + (1 - beta2) * gradientSquares / size;
    INDArray moment = memory.get(NDArrayIndex.interval(0, size)).reshape('c', w.shape());
    moment.assign(Stiefel.addProjection(gradient.muli(1 - beta1), beta1, w, moment));
    memory.putScalar(size, s);
    memory.putScalar(size + 1, t);

    double rootMeanSquare = Math.sqrt(s / (1 - Math.pow(beta2, t)));
    double scale = (1 - Math.pow(beta1, t)) * (rootMeanSquare + getConfig().getEpsilon());
    return moment.div(scale);
  }
}
