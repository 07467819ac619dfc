/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.TinyTask.Told;
import io.github.spd4j.train.plan.KeptWeights;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.deeplearning4j.nn.graph.ComputationGraph;

/** Trains in the folder that is given, and waits to be killed. */
final class KilledMain {

  private KilledMain() {}

  /** Arguments: the folder, and the stage after whose first epoch to wait, if any. */
  public static void main(String[] arguments) {
    Told waiting =
        new Told() {
          @Override
          public void batchDone(int done, double loss, double accuracy) {
            if (epochs.stream().anyMatch(epoch -> epoch.stage().name().equals(arguments[1]))) {
              LockSupport.parkNanos(TimeUnit.MINUTES.toNanos(3)); // the test is over by then
            }
          }
        };
    ComputationGraph net = TinyTask.net();
    TinyTask.trainer(net, TinyTask.plan(2, 2).keep(KeptWeights.LAST).build())
        .folder(Path.of(arguments[0]))
        .progress(waiting)
        .build()
        .train();
  }
}
