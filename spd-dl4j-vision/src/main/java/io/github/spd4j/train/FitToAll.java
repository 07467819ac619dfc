/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.internal.engine.Seeds;

/** Fits a classifier that was found better once more, with the images that were held out for it. */
final class FitToAll implements Phase {

  @Override
  public void run(StageRun stage) {
    if (stage.state().keepsFit()) {
      stage.classifier().fitTo(Seeds.order(stage.training().size(), 0));
    }
  }

  @Override
  public String toString() {
    return "Fit a classifier that is kept to all images";
  }
}
