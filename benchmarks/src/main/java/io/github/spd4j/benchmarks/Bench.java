/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.examples.experiments.Environment;
import io.github.spd4j.manifold.Retraction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The whole benchmark. */
final class Bench {

  /** Buffers that are kept are there after the first step, garbage piles up after some more. */
  private static final int PEAK_STEPS = 5;

  private static final int GROWTH_REPEATS = 3;
  private static final int[] BATCHES = {1, 2, 4, 8, 16, 32, 64, 128};
  private static final int[] CHANNELS = {64, 128, 256, 512, 1024};
  private static final int[] OUTPUTS = {32, 64, 128, 256, 512};

  private final BenchOptions options;
  private final Optional<TorchSide> torch;
  private final boolean live;
  private final BenchResult result = new BenchResult();

  Bench(BenchOptions options, Optional<TorchSide> torch, boolean live) {
    this.options = options;
    this.torch = torch;
    this.live = live;
  }

  BenchResult run() {
    describe();
    if (options.heads) {
      return heads();
    }
    try (BenchProgress progress = new BenchProgress(measurements(), live)) {
      Duel duel = new Duel(torch, options.repeats, progress);
      if (!Device.isGpu()) { // its memory is not the process's
        peak(progress);
      }
      rates(duel);
      head(duel);
      if (options.images > 0) {
        convolutions(duel);
      }
      if (options.whole) {
        whole(duel);
      }
      if (options.growth) {
        Duel quick = new Duel(torch, Math.min(options.repeats, GROWTH_REPEATS), progress);
        growth(quick);
      }
    }
    return result;
  }

  private BenchResult heads() {
    try (BenchProgress progress = new BenchProgress(CostedHead.values().length, live)) {
      for (CostedHead head : CostedHead.values()) {
        progress.say(head.title);
        result.heads.add(HeadCost.measure(head, options.size(), options.repeats));
        progress.advance();
      }
    }
    return result;
  }

  private long measurements() {
    long kinds = 3L + (options.images > 0 ? 1 : 0) + (options.whole ? 1 : 0);
    long main = kinds * (options.repeats + 1);
    long sizes = options.growth ? BATCHES.length + CHANNELS.length + outputs().length : 0;
    return main + sizes * (Math.min(options.repeats, GROWTH_REPEATS) + 1);
  }

  private void describe() {
    result.environment.put(
        "date", OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS).toString());
    result.environment.putAll(Environment.describe());
    result.environment.put("processor", processor());
    result.environment.put("threads", String.valueOf(options.threads));
    torch.ifPresent(side -> result.environment.putAll(side.versions()));
  }

  /** Linux's words for it: a name on x86, numbers of maker and part on ARM. */
  private static String processor() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
          .filter(line -> line.matches("(model name|CPU implementer|CPU part)\\s*:.*"))
          .map(line -> line.replaceAll("^(model name|CPU)\\s*", "").replaceAll("\\s*:\\s*", " "))
          .distinct()
          .collect(Collectors.joining(", "))
          .trim();
    } catch (IOException e) {
      return "unknown";
    }
  }

  /** First of all, while neither side holds anything else; a tiny head has loaded the libraries. */
  private void peak(BenchProgress progress) {
    progress.say("peak of memory");
    HeadWorkload tiny = new HeadWorkload(new HeadSize(2, 8, 8, 4, 3), Retraction.preferred());
    torch.ifPresent(side -> side.load(tiny));
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
    Sample[] rates = duel.productRates();
    result.ourGflops = rates[0];
    result.torchGflops = rates[1];
  }

  private void head(Duel duel) {
    HeadSize size = options.size();
    HeadWorkload head = new HeadWorkload(size, Retraction.preferred());
    duel.load(head);
    result.rows.add(
        duel.time(head, "head, forward", "forward", size.toString(), size.forwardGflop(), rate()));
    Row step = step(duel, head);
    result.rows.add(step);
    retractions(size, step);
  }

  private double rate() {
    return result.ourGflops.median();
  }

  private Row step(Duel duel, HeadWorkload head) {
    HeadSize size = head.size();
    return duel.time(
        head, "head, training step", "step", size.toString(), size.stepGflop(), rate());
  }

  private void retractions(HeadSize size, Row step) {
    // The QR of a GPU's backend prints matrices.
    Retraction[] all =
        Device.isGpu() ? new Retraction[] {Retraction.preferred()} : Retraction.values();
    for (Retraction retraction : all) {
      result.retractions.add(
          RetractionShare.measure(retraction, size, step.ours.median(), options.repeats));
    }
  }

  private void convolutions(Duel duel) {
    Vgg16Workload vgg16 = new Vgg16Workload(options.images, options.imageSize);
    duel.load(vgg16);
    result.environment.put("convolutions", vgg16.acceleration());
    String size = options.images + " images of " + options.imageSize + "²";
    result.rows.add(
        duel.time(vgg16, "VGG-16 convolutions, forward", "forward", size, vgg16.gflop(), rate()));
  }

  private void whole(Duel duel) {
    WholeWorkload whole = new WholeWorkload(options.batch, options.classes, options.imageSize);
    duel.load(whole);
    String size = options.batch + " images of " + options.imageSize + "²";
    result.rows.add(
        duel.time(whole, "VGG-16 and head, training step", "step", size, whole.gflop(), rate()));
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

  private List<Row> curve(Duel duel, IntFunction<HeadSize> sizes, int[] values, boolean retract) {
    List<Row> rows = new ArrayList<>();
    for (int value : values) {
      HeadWorkload head = new HeadWorkload(sizes.apply(value), Retraction.preferred());
      duel.load(head);
      Row row = step(duel, head);
      rows.add(row);
      if (retract) {
        retractions(head.size(), row);
      }
    }
    return rows;
  }
}
