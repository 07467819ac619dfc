/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

/**
 * Stage two does not begin with a fitted classifier but with the learnt one: a classifier that is
 * fitted to all images makes no mistakes with them, and leaves the layers before it nothing to
 * learn.
 */
final class GoOnFromLearnt implements Phase {

  @Override
  public void run(StageRun stage) {
    if (stage.state().keepsFit()) {
      stage.goOnFromLearnt();
    }
  }

  @Override
  public String toString() {
    return "Go on from what was learnt, if a fit is kept";
  }
}
