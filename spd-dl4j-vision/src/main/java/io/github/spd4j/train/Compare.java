/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.progress.LossAndAccuracy;
import java.util.Locale;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Tells on images that were held out whether a fit is better; from then on they train, too. */
final class Compare implements Phase {

  @Override
  public void run(StageRun stage) {
    INDArray learnt = stage.net().params().dup();
    LossAndAccuracy known = stage.newEpoch().unseen();
    LossAndAccuracy fitted = stage.newEpoch().fit().unseen();
    stage.net().params().assign(learnt);
    learnt.close();
    boolean better = fitted.isBetterThan(known);
    stage.state().compared(better);
    stage.note(
        String.format(
            Locale.ROOT,
            "Of %d images that were held out, a fitted classifier has %.1f %% right, the one that"
                + " is learnt %.1f %%: %s. All images train from here on",
            fitted.images(),
            100 * fitted.accuracy(),
            100 * known.accuracy(),
            better ? "it will be fitted" : "it is not fitted"));
  }

  @Override
  public String toString() {
    return "Compare a fit with what is learnt, on images held out until then";
  }
}
