/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import io.github.spd4j.experiments.Method;
import io.github.spd4j.experiments.Progress;
import io.github.spd4j.internal.engine.LocalEngine;
import io.github.spd4j.parallel.StiefelAveraging;
import io.github.spd4j.textures.Split;
import io.github.spd4j.textures.TextureSet;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.engine.TrainingEngine;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What rare averaging of many workers costs in accuracy, on one machine: measures the table of
 * {@code docs/scaling.md}; not a test.
 */
final class AveragingSimulation implements TrainingEngine {

  private static final int BATCH = 32;
  private static final int EPOCHS = 8;

  private final int workers;
  private final int every;
  private double farthest;

  private AveragingSimulation(int workers, int every) {
    this.workers = workers;
    this.every = every;
  }

  /**
   * Prints the rows of the table.
   *
   * @param args {@code recommended} (by Adam) or {@code fitted} (by momentum), then seeds
   */
  public static void main(String[] args) {
    boolean adam = args[0].equals("recommended");
    TrainingPlan plan = adam ? TrainingPlan.recommended() : TrainingPlan.fitted();
    String[] seeds = Arrays.copyOfRange(args, 1, args.length);
    System.out.println("| workers | batches | last epoch | mean | in the end, mean | distance |");
    row(plan, 1, 1, seeds);
    for (int workers : new int[] {4, 16}) {
      for (int every : new int[] {2, 4, 16}) {
        row(plan, workers, every, seeds);
      }
    }
  }

  /** Validation accuracy of the last epoch, and in the end, with a fitted classifier. */
  private static void row(TrainingPlan plan, int workers, int every, String... seeds) {
    double[] epoch = new double[seeds.length];
    double[] end = new double[seeds.length];
    double farthest = 0;
    for (int i = 0; i < seeds.length; i++) {
      AveragingSimulation simulation = new AveragingSimulation(workers, every);
      List<EpochRecord> history = simulation.train(plan, Long.parseLong(seeds[i])).history();
      for (EpochRecord record : history) {
        epoch[i] = record.rates().isEmpty() ? epoch[i] : 100 * record.validationAccuracy();
        end[i] = 100 * record.validationAccuracy();
      }
      farthest = Math.max(farthest, simulation.farthest);
    }
    System.out.printf(
        Locale.ROOT,
        "| %d | %d | %s | %.1f | %.1f | %.1e |%n",
        workers,
        every,
        Arrays.stream(epoch)
            .mapToObj(x -> String.format(Locale.ROOT, "%.1f", x))
            .collect(Collectors.joining(", ")),
        Arrays.stream(epoch).average().orElse(Double.NaN),
        Arrays.stream(end).average().orElse(Double.NaN),
        farthest);
  }

  private TrainingResult train(TrainingPlan plan, long seed) {
    QuickstartSettings settings = new QuickstartSettings();
    settings.imageSize = 32;
    settings.seed = seed;
    TextureSet textures = TextureSet.generate(64, 30, 1, settings.imageSize, seed);
    Quickstart quickstart = new Quickstart(settings, name -> new Progress() {});
    ComputationGraph net = quickstart.graft(Method.SPD, quickstart.backbone());
    return TwoStageTrainer.builder(net)
        .plan(
            plan.toBuilder()
                .batchSize(BATCH)
                .epochs(Stage.HEAD, EPOCHS)
                .epochs(Stage.WHOLE, 0)
                .seed(seed)
                .build())
        .training(new TextureImages(textures, Split.TRAIN))
        .validation(new TextureImages(textures, Split.VALIDATION))
        .engine(this)
        .progress(new Progress() {})
        .build()
        .train();
  }

  @Override
  public Stream<INDArray> features(
      ComputationGraph backbone, LabelledImages images, byte[] key, int first, int batchSize) {
    return new LocalEngine().features(backbone, images, key, first, batchSize);
  }

  @Override
  public void train(ComputationGraph net, TrainingPass pass) {
    int[] order = pass.order();
    for (int start = 0; start < order.length; start += every * BATCH) {
      round(net, pass, order, start, Math.min(order.length, start + every * BATCH));
    }
  }

  /** Every worker goes on from the same parameters with its share of each batch. */
  private void round(ComputationGraph net, TrainingPass pass, int[] order, int start, int end) {
    INDArray parameters = net.params().dup();
    INDArray memory = net.getUpdater().getStateViewArray().dup();
    INDArray sum = parameters.like();
    INDArray memorySum = memory.like();
    int steps = net.getIterationCount();
    for (int worker = 0; worker < workers; worker++) {
      net.params().assign(parameters);
      net.getUpdater().getStateViewArray().assign(memory);
      net.getConfiguration().setIterationCount(steps);
      for (int batch = start; batch < end; batch += BATCH) {
        int size = Math.min(end - batch, BATCH);
        int from = batch + size * worker / workers;
        int to = batch + size * (worker + 1) / workers;
        int[] own = Arrays.copyOfRange(order, from, to);
        if (own.length > 0) {
          net.fit(new INDArray[] {pass.inputs(own)}, new INDArray[] {pass.labels(own)});
          pass.report(own.length, 0, own.length * net.score());
        }
      }
      sum.addi(net.params());
      memorySum.addi(net.getUpdater().getStateViewArray());
    }
    net.params().assign(sum.divi(workers));
    net.getUpdater().getStateViewArray().assign(memorySum.divi(workers));
    farthest = Math.max(farthest, StiefelAveraging.restore(net));
  }
}
