/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import io.github.spd4j.updater.StiefelAdam;
import io.github.spd4j.updater.StiefelSgd;
import io.github.spd4j.updater.StiefelUpdater;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;

/** How steps follow from gradients. */
public enum Optimizer {

  /** Gradient descent with momentum: {@link Nesterovs}, and {@link StiefelSgd} for W. */
  MOMENTUM {
    @Override
    public IUpdater updater(double momentum) {
      return momentum == 0 ? new Sgd() : new Nesterovs(momentum);
    }

    @Override
    public StiefelUpdater.Builder<?> onManifold(double momentum) {
      return StiefelSgd.builder().momentum(momentum);
    }
  },

  /**
   * {@link Adam}, and {@link StiefelAdam} for W; the plan's momentum is the decay of the first
   * moment. A rate is about the change of a weight in a step.
   */
  ADAM {
    @Override
    public IUpdater updater(double momentum) {
      return Adam.builder().beta1(momentum).build();
    }

    @Override
    public StiefelUpdater.Builder<?> onManifold(double momentum) {
      return StiefelAdam.builder().beta1(momentum);
    }
  };

  /**
   * An updater for ordinary weights; its rate is still to be set.
   *
   * @param momentum the momentum, or the decay of the first moment
   * @return a new updater
   */
  public abstract IUpdater updater(double momentum);

  /**
   * A builder of an updater for weights on the Stiefel manifold.
   *
   * @param momentum the momentum, or the decay of the first moment
   * @return a new builder
   */
  public abstract StiefelUpdater.Builder<?> onManifold(double momentum);
}
