/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.schedule.ISchedule;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the updater on the Stiefel manifold that corresponds to one in flat space. */
public final class StiefelUpdaters {

  private static final Logger log = LoggerFactory.getLogger(StiefelUpdaters.class);

  private StiefelUpdaters() {}

  /**
   * Whether a parameter on the Stiefel manifold may have this updater: one that keeps it there, or
   * {@link NoOp}, which DL4J's gradient checks want. (A NoOp is not for training: DL4J then
   * subtracts the gradient as it is, from W as from all other parameters.)
   *
   * @param updater any updater
   * @return true for a {@link StiefelUpdater} and for NoOp
   */
  public static boolean isAllowed(IUpdater updater) {
    return updater instanceof StiefelUpdater || updater instanceof NoOp;
  }

  /**
   * The counterpart of a network's updater: {@link Sgd} and {@link Nesterovs} become {@link
   * StiefelSgd}, with the same learning rate (or schedule) and the momentum at the start; {@link
   * Adam} becomes {@link StiefelAdam}, with the same settings; a {@link StiefelUpdater} or NoOp
   * stays. Any other updater becomes a {@link StiefelAdam} with its initial learning rate, and a
   * warning is logged.
   *
   * @param updater the updater of the network; for null, a {@link StiefelSgd} with its defaults
   * @return an updater of its own for W
   */
  public static IUpdater counterpartOf(IUpdater updater) {
    if (updater == null) {
      return new StiefelSgd();
    }
    if (isAllowed(updater)) {
      return updater.clone();
    }
    if (updater instanceof Sgd) {
      Sgd sgd = (Sgd) updater;
      return withRate(StiefelSgd.builder(), sgd.getLearningRate(), sgd.getLearningRateSchedule())
          .build();
    }
    if (updater instanceof Nesterovs) {
      Nesterovs nesterovs = (Nesterovs) updater;
      return withRate(
              StiefelSgd.builder(),
              nesterovs.getLearningRate(),
              nesterovs.getLearningRateSchedule())
          .momentum(nesterovs.currentMomentum(0, 0))
          .build();
    }
    if (updater instanceof Adam) {
      Adam adam = (Adam) updater;
      return withRate(StiefelAdam.builder(), adam.getLearningRate(), adam.getLearningRateSchedule())
          .beta1(adam.getBeta1())
          .beta2(adam.getBeta2())
          .epsilon(adam.getEpsilon())
          .build();
    }
    StiefelAdam other =
        updater.hasLearningRate()
            ? new StiefelAdam(updater.getLearningRate(0, 0))
            : new StiefelAdam();
    log.warn(
        "{} has no counterpart on the Stiefel manifold; W is updated by {}. Set an updater on the"
            + " layer to choose another.",
        updater.getClass().getSimpleName(),
        other);
    return other;
  }

  private static <T extends StiefelUpdater.Builder<T>> T withRate(
      T builder, double rate, ISchedule schedule) {
    return schedule == null ? builder.learningRate(rate) : builder.learningRate(schedule);
  }
}
