/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.TinyTask.Told;
import io.github.spd4j.train.plan.KeptWeights;
import java.nio.file.Path;
import org.deeplearning4j.nn.graph.ComputationGraph;

/** Trains in the folder that is given, slowly enough to be killed. */
final class KilledMain {

  private KilledMain() {}

  /** Arguments: the folder, and how many milliseconds to wait after each batch. */
  public static void main(String[] arguments) {
    long pause = Long.parseLong(arguments[1]);
    Told slow =
        new Told() {
          @Override
          public void batchDone(int done, double loss, double accuracy) {
            try {
              Thread.sleep(pause);
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        };
    ComputationGraph net = TinyTask.net();
    TinyTask.trainer(net, TinyTask.plan(2, 2).keep(KeptWeights.LAST).build())
        .folder(Path.of(arguments[0]))
        .progress(slow)
        .build()
        .train();
  }
}
