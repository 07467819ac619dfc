/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.acceleration.Precision;
import io.github.spd4j.cli.Terminal;
import io.github.spd4j.experiments.Environment;
import io.github.spd4j.manifold.Retraction;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;

/** The whole benchmark. */
final class Bench {

  /** Buffers that are kept are there after the first step, garbage piles up after some more. */
  private static final int PEAK_STEPS = 5;

  private static final String STEP = "head, training step";
  private static final int GROWTH_REPEATS = 3;
  private static final int[] EIGEN = {128, 256};
  private static final int[] BATCHES = {1, 2, 4, 8, 16, 32, 64, 128};
  private static final int[] CHANNELS = {64, 128, 256, 512, 1024};
  private static final int[] OUTPUTS = {32, 64, 128, 256, 512};

  private final BenchOptions options;
  private final Optional<TorchSide> torch;
  private final BenchResult result = new BenchResult();

  Bench(BenchOptions options, Optional<TorchSide> torch) {
    this.options = options;
    this.torch = torch;
  }

  BenchResult run() {
    describe();
    try (ProgressBar progress = progress()) {
      if (options.heads) {
        heads(progress);
      } else {
        compare(progress);
      }
    }
    return result;
  }

  /** A bar on a terminal, nothing elsewhere. */
  private ProgressBar progress() {
    ProgressBarBuilder builder =
        new ProgressBarBuilder()
            .setTaskName("bench")
            .setInitialMax(options.heads ? CostedHead.all().size() : measurements())
            .setStyle(ProgressBarStyle.COLORFUL_UNICODE_BAR)
            .setMaxRenderedLength(110);
    if (!Terminal.isThere()) {
      builder.setConsumer(new DelegatingProgressBarConsumer(line -> {}));
    }
    return builder.build();
  }

  private void heads(ProgressBar progress) {
    for (CostedHead head : CostedHead.all()) {
      progress.setExtraMessage(" " + head.title());
      result.heads.add(HeadCost.measure(head, options.size(), options.repeats));
      progress.step();
    }
  }

  private void compare(ProgressBar progress) {
    if (!isGpu()) { // its memory is not the process's
      progress.setExtraMessage(" peak of memory");
      peak();
    }
    Duel duel = new Duel(torch, options.repeats, options.warmUp, progress);
    rates(duel);
    head(duel);
    convolutions(duel, Rounding.FLOAT);
    for (Precision precision : options.precisions) {
      Rounding rounding = Rounding.of(precision);
      rounding.apply(torch);
      try {
        convolutions(duel, rounding);
      } finally {
        Rounding.FLOAT.apply(torch);
      }
    }
    if (options.eigen) {
      for (int n : EIGEN) {
        Workload eigen = new EigenWorkload(n);
        duel.load(eigen);
        result.rows.add(time(duel, eigen, "eigenvalues and eigenvectors", "forward"));
      }
    }
    if (options.growth) {
      int few = Math.min(options.repeats, GROWTH_REPEATS);
      growth(new Duel(torch, few, options.warmUp, progress));
    }
  }

  /** In a precision that was applied. */
  private void convolutions(Duel duel, Rounding rounding) {
    if (options.images > 0) {
      Vgg16Workload vgg16 =
          new Vgg16Workload(options.images, options.imageSize, rounding.precision);
      result.environment.put("convolutions" + rounding.title, vgg16.acceleration.toString());
      duel.load(vgg16, rounding);
      String title = "VGG-16 convolutions, forward" + rounding.title;
      result.rows.add(time(duel, vgg16, title, "forward"));
    }
    if (options.whole) {
      WholeWorkload whole =
          new WholeWorkload(options.batch, options.classes, options.imageSize, rounding.precision);
      duel.load(whole, rounding);
      String title = "VGG-16 and head, training step" + rounding.title;
      result.rows.add(time(duel, whole, title, "step"));
      AverageWorkload average =
          new AverageWorkload(
              options.batch, options.classes, options.imageSize, rounding.precision);
      duel.load(average, rounding);
      title = "VGG-16 and average pooling, training step" + rounding.title;
      result.rows.add(time(duel, average, title, "step"));
    }
  }

  /** Whether both sides compute on a GPU: where ND4J's backend does. */
  static boolean isGpu() {
    return Nd4j.getExecutioner().type() == ExecutionerType.CUDA;
  }

  private long measurements() {
    long more = (options.images > 0 ? 1 : 0) + (options.whole ? 2 : 0);
    long kinds = 3 + (1 + options.precisions.size()) * more + (options.eigen ? EIGEN.length : 0);
    long main = kinds * (options.repeats + 1);
    long sizes = options.growth ? BATCHES.length + CHANNELS.length + outputs().length : 0;
    return main + sizes * (Math.min(options.repeats, GROWTH_REPEATS) + 1);
  }

  private void describe() {
    result.environment.put(
        "date", OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS).toString());
    result.environment.putAll(Environment.describe());
    result.environment.put("processor", result.environment.get("cpu"));
    result.environment.put("threads", String.valueOf(options.threads));
    torch.ifPresent(side -> result.environment.putAll(side.versions()));
  }

  /** First of all, while neither side holds anything else; a tiny head has loaded the libraries. */
  private void peak() {
    HeadWorkload tiny = new HeadWorkload(new HeadSize(2, 8, 8, 4, 3), Retraction.preferred());
    torch.ifPresent(side -> side.load(tiny, Rounding.FLOAT.tolerance));
    tiny.run("step");
    HeadWorkload[] workload = new HeadWorkload[1];
    ResidentSet.peakOf(
            () -> {
              workload[0] = new HeadWorkload(options.size(), Retraction.preferred());
              for (int i = 0; i < PEAK_STEPS; i++) {
                workload[0].run("step");
              }
            })
        .ifPresent(bytes -> result.ourPeakBytes = bytes);
    if (result.ourPeakBytes != null) {
      torch.ifPresent(side -> result.torchPeakBytes = side.peak(workload[0], "step", PEAK_STEPS));
    }
  }

  private void rates(Duel duel) {
    Workload product = new ProductWorkload();
    duel.load(product);
    Duel.Times times = duel.time(product, "matrix product", "forward");
    result.ourGflops = rates(times.ours(), product.gflop.get("forward"));
    result.torchGflops =
        times.torch() == null ? null : rates(times.torch(), product.gflop.get("forward"));
  }

  private static Sample rates(Sample milliseconds, double gflop) {
    return new Sample(
        DoubleStream.of(milliseconds.values()).map(time -> 1e3 * gflop / time).toArray());
  }

  private Timing time(Duel duel, Workload workload, String work, String what) {
    Duel.Times times = duel.time(workload, work, what);
    double gflop = workload.gflop.get(what);
    double roofline = 1e3 * gflop / result.ourGflops.median();
    return new Timing(work, workload.size, gflop, times.ours(), times.torch(), roofline);
  }

  private void head(Duel duel) {
    HeadWorkload head = new HeadWorkload(options.size(), Retraction.preferred());
    duel.load(head);
    result.rows.add(time(duel, head, "head, forward", "forward"));
    Timing step = time(duel, head, STEP, "step");
    result.rows.add(step);
    retractions(options.size(), step);
  }

  private void retractions(HeadSize size, Timing step) {
    // The QR of a GPU's backend prints matrices.
    Retraction[] all = isGpu() ? new Retraction[] {Retraction.preferred()} : Retraction.values();
    for (Retraction retraction : all) {
      result.retractions.add(
          RetractionShare.measure(retraction, size, step.ours().median(), options.repeats));
    }
  }

  private void growth(Duel duel) {
    HeadSize base = options.size();
    result.growth.put("batch", curve(duel, base::withBatch, BATCHES, false));
    result.growth.put("C", curve(duel, base::withChannels, CHANNELS, true));
    result.growth.put("C'", curve(duel, base::withOutputs, outputs(), true));
  }

  private int[] outputs() {
    return IntStream.of(OUTPUTS).filter(size -> size <= options.channels).toArray();
  }

  private List<Timing> curve(
      Duel duel, IntFunction<HeadSize> sizes, int[] values, boolean retract) {
    List<Timing> timings = new ArrayList<>();
    for (int value : values) {
      HeadSize size = sizes.apply(value);
      HeadWorkload head = new HeadWorkload(size, Retraction.preferred());
      duel.load(head);
      Timing step = time(duel, head, STEP, "step");
      timings.add(step);
      if (retract) {
        retractions(size, step);
      }
    }
    return timings;
  }
}
