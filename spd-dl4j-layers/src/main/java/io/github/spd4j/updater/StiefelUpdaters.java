/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.schedule.ISchedule;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;

/** Finds the updater on the Stiefel manifold that corresponds to one in flat space. */
public final class StiefelUpdaters {

  private static final Logger log = LoggerFactory.getLogger(StiefelUpdaters.class);

  private static final Set<String> said = ConcurrentHashMap.newKeySet();

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
   * stays. Any other updater becomes a {@link StiefelAdam} with its learning rate (or schedule).
   *
   * <p>What has no counterpart is said once as a warning: to SLF4J or, where that is bound to no
   * logger and would say nothing, to the logger of the JDK, which writes to standard error.
   *
   * @param updater the updater of the network; for null, a {@link StiefelSgd} with its defaults
   * @return an updater of its own for W
   */
  public static IUpdater counterpartOf(IUpdater updater) {
    return isAllowed(updater) ? updater.clone() : builder(updater).build();
  }

  /**
   * The counterpart of an updater that takes the place of another: {@link #counterpartOf(IUpdater)}
   * with the metric and the retraction of the other, unless the new one has its own.
   *
   * @param updater the new updater; for null, a {@link StiefelSgd}
   * @param present the updater that it replaces, or null
   * @return an updater of its own for W
   */
  public static IUpdater counterpartOf(IUpdater updater, IUpdater present) {
    if (isAllowed(updater) || !(present instanceof StiefelUpdater)) {
      return counterpartOf(updater);
    }
    StiefelUpdater replaced = (StiefelUpdater) present;
    return builder(updater)
        .metric(replaced.getMetric())
        .retraction(replaced.getRetraction())
        .build();
  }

  private static StiefelUpdater.Builder<?> builder(IUpdater updater) {
    if (updater == null) {
      return StiefelSgd.builder();
    }
    if (updater instanceof Sgd) {
      Sgd sgd = (Sgd) updater;
      return withRate(StiefelSgd.builder(), sgd.getLearningRate(), sgd.getLearningRateSchedule());
    }
    if (updater instanceof Nesterovs) {
      return builder((Nesterovs) updater);
    }
    if (updater instanceof Adam) {
      Adam adam = (Adam) updater;
      return withRate(StiefelAdam.builder(), adam.getLearningRate(), adam.getLearningRateSchedule())
          .beta1(adam.getBeta1())
          .beta2(adam.getBeta2())
          .epsilon(adam.getEpsilon());
    }
    StiefelAdam.Builder other = StiefelAdam.builder();
    if (updater.hasLearningRate()) {
      requireRate(updater);
      other = withRate(other, updater.getLearningRate(0, 0), scheduleOf(updater));
    }
    warn(
        updater.getClass().getSimpleName()
            + " has no counterpart on the Stiefel manifold: W is updated by "
            + other.build()
            + ". Set an updater on the layer to choose another.");
    return other;
  }

  /** A copy of ND4J's AdaGrad has lost its schedule. */
  private static void requireRate(IUpdater updater) {
    if (Double.isNaN(updater.getLearningRate(0, 0))) {
      throw new IllegalArgumentException(
          updater
              + ": expected a learning rate, got NaN, since DL4J loses the schedule of this updater"
              + " when it copies it. Set an updater on the layer, or choose another for the"
              + " network.");
    }
  }

  private static StiefelSgd.Builder builder(Nesterovs nesterovs) {
    double momentum = nesterovs.currentMomentum(0, 0);
    if (nesterovs.getMomentumISchedule() != null) {
      warn(
          "A schedule of the momentum has no counterpart on the Stiefel manifold: the momentum of W"
              + " stays at "
              + momentum
              + ". Set an updater on the layer to choose another.");
    }
    return withRate(
            StiefelSgd.builder(), nesterovs.getLearningRate(), nesterovs.getLearningRateSchedule())
        .momentum(momentum);
  }

  private static <T extends StiefelUpdater.Builder<T>> T withRate(
      T builder, double rate, ISchedule schedule) {
    return schedule == null ? builder.learningRate(rate) : builder.learningRate(schedule);
  }

  /** All updaters of ND4J have a schedule under this name, but no type in common that says so. */
  private static ISchedule scheduleOf(IUpdater updater) {
    try {
      return (ISchedule) updater.getClass().getMethod("getLearningRateSchedule").invoke(updater);
    } catch (ReflectiveOperationException | ClassCastException e) {
      return null;
    }
  }

  private static void warn(String message) {
    if (!said.add(message)) {
      return;
    }
    if (LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory) {
      System.getLogger(StiefelUpdaters.class.getName()).log(Level.WARNING, message);
    } else {
      log.warn(message);
    }
  }
}
