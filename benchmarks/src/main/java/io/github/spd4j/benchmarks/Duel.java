/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import java.util.Optional;
import java.util.function.DoubleSupplier;
import me.tongfei.progressbar.ProgressBar;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Times both sides in turn: ours, PyTorch's, ours, PyTorch's, so that both see the same machine.
 */
record Duel(Optional<TorchSide> torch, int repeats, double warmUp, ProgressBar progress) {

  /**
   * Milliseconds of passes that make one sample. In training there is no pause between passes;
   * here, the other side takes its turn, and a short pass alone would show how a process wakes up.
   */
  private static final double BURST = 50;

  /** Loads a workload on PyTorch's side and makes sure that both compute the same. */
  void load(Workload workload) {
    load(workload, Rounding.FLOAT);
  }

  /** The same for convolutions that compute in a precision, which was applied. */
  void load(Workload workload, Rounding rounding) {
    progress.setExtraMessage(" comparing results");
    torch.ifPresent(side -> side.load(workload, rounding.tolerance));
  }

  /** Times of a workload in milliseconds; PyTorch's are null where there is none. */
  record Times(Sample ours, Sample torch) {}

  /** Times a workload that was loaded. */
  Times time(Workload workload, String title, String what) {
    progress.setExtraMessage(" " + title);
    double[] ours = new double[repeats];
    double[] theirs = new double[repeats];
    int passes = warmUp(() -> milliseconds(() -> workload.run(what)));
    torch.ifPresent(side -> warmUp(() -> side.run(what, 1)));
    progress.step();
    for (int i = 0; i < repeats; i++) {
      ours[i] = milliseconds(() -> workload.run(what), passes);
      theirs[i] = torch.isPresent() ? torch.get().run(what, passes) : 0;
      progress.step();
    }
    return new Times(new Sample(ours), torch.isPresent() ? new Sample(theirs) : null);
  }

  /**
   * Runs passes, each of which tells its milliseconds, until they have taken as long as warming up
   * is to take: where a pass takes a few milliseconds, as on a GPU, Java needs hundreds before its
   * code is compiled.
   *
   * @return how many take {@link #BURST}, at least one
   */
  private int warmUp(DoubleSupplier pass) {
    double spent = 0;
    int passes = 0;
    do {
      spent += pass.getAsDouble();
      passes++;
    } while (spent < 1000 * warmUp);
    return (int) Math.max(1, BURST * passes / spent);
  }

  /** The mean of some passes, each of which is waited for. */
  private static double milliseconds(Runnable work, int passes) {
    double sum = 0;
    for (int i = 0; i < passes; i++) {
      sum += milliseconds(work);
    }
    return sum / passes;
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
