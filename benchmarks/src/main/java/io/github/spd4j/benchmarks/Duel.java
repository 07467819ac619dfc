/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import java.util.Optional;

/**
 * Times both sides in turn: ours, PyTorch's, ours, PyTorch's, so that both see the same machine.
 */
final class Duel {

  private static final int PRODUCT_SIZE = 1024;

  /** Something to run once on our side. */
  interface Work {
    void run();
  }

  private final Optional<TorchSide> torch;
  private final int repeats;
  private final BenchProgress progress;

  Duel(Optional<TorchSide> torch, int repeats, BenchProgress progress) {
    this.torch = torch;
    this.repeats = repeats;
    this.progress = progress;
  }

  /** Loads a workload on PyTorch's side and makes sure that both compute the same. */
  void load(Workload workload) {
    progress.say("comparing results");
    torch.ifPresent(side -> side.load(workload));
  }

  /**
   * Times a workload that was loaded.
   *
   * @param work what to call it
   * @param what forward or step
   * @param gflop its counted arithmetic
   * @param rate GFLOP/s of our matrix products
   */
  Row time(Workload workload, String work, String what, String size, double gflop, double rate) {
    Sample[] both = alternate(work, () -> workload.run(what), what);
    return new Row(work, size, gflop, both[0], both[1], rate);
  }

  /** The rate of matrix products: ours, and PyTorch's or null. GFLOP/s. */
  Sample[] productRates() {
    SquareProduct product = new SquareProduct(PRODUCT_SIZE);
    torch.ifPresent(side -> side.loadProduct(PRODUCT_SIZE));
    Sample[] times = alternate("matrix product", product::run, "forward");
    return new Sample[] {rate(times[0]), times[1] == null ? null : rate(times[1])};
  }

  private static Sample rate(Sample times) {
    double megaflop = 2e-6 * PRODUCT_SIZE * PRODUCT_SIZE * PRODUCT_SIZE;
    double[] rates = times.values();
    for (int i = 0; i < rates.length; i++) {
      rates[i] = megaflop / rates[i];
    }
    return new Sample(rates);
  }

  private Sample[] alternate(String title, Work ours, String theirs) {
    double[] our = new double[repeats];
    double[] their = new double[repeats];
    for (int i = -1; i < repeats; i++) { // the first of each warms up and does not count
      progress.say(title);
      double ourTime = milliseconds(ours);
      double theirTime = torch.isPresent() ? torch.get().run(theirs) : 0;
      if (i >= 0) {
        our[i] = ourTime;
        their[i] = theirTime;
      }
      progress.advance();
    }
    return new Sample[] {new Sample(our), torch.isPresent() ? new Sample(their) : null};
  }

  static double milliseconds(Work work) {
    Device.synchronize();
    long start = System.nanoTime();
    work.run();
    Device.synchronize();
    return (System.nanoTime() - start) / 1e6;
  }
}
