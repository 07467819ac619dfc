/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import java.util.Optional;
import me.tongfei.progressbar.ProgressBar;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Times both sides in turn: ours, PyTorch's, ours, PyTorch's, so that both see the same machine.
 */
record Duel(Optional<TorchSide> torch, int repeats, ProgressBar progress) {

  /** Loads a workload on PyTorch's side and makes sure that both compute the same. */
  void load(Workload workload) {
    progress.setExtraMessage(" comparing results");
    torch.ifPresent(side -> side.load(workload));
  }

  /** Times of a workload in milliseconds; PyTorch's are null where there is none. */
  record Times(Sample ours, Sample torch) {}

  /** Times a workload that was loaded. */
  Times time(Workload workload, String title, String what) {
    progress.setExtraMessage(" " + title);
    double[] ours = new double[repeats];
    double[] theirs = new double[repeats];
    for (int i = -1; i < repeats; i++) { // the first of each warms up and does not count
      double ourTime = milliseconds(() -> workload.run(what));
      double theirTime = torch.isPresent() ? torch.get().run(what) : 0;
      if (i >= 0) {
        ours[i] = ourTime;
        theirs[i] = theirTime;
      }
      progress.step();
    }
    return new Times(new Sample(ours), torch.isPresent() ? new Sample(theirs) : null);
  }

  static double milliseconds(Runnable work) {
    Nd4j.getExecutioner().commit(); // waits until everything is computed
    long start = System.nanoTime();
    work.run();
    Nd4j.getExecutioner().commit();
    return (System.nanoTime() - start) / 1e6;
  }

  /** Times of our side alone, in milliseconds, of work that is warm. */
  static Sample sample(Runnable work, int repeats) {
    double[] times = new double[repeats];
    for (int i = 0; i < repeats; i++) {
      times[i] = milliseconds(work);
    }
    return new Sample(times);
  }
}
