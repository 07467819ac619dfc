/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.quickstart;

import io.github.spd4j.examples.textures.Split;
import io.github.spd4j.examples.textures.TextureSet;
import io.github.spd4j.parallel.StiefelAveraging;
import io.github.spd4j.train.FeatureCache;
import io.github.spd4j.train.Learning;
import io.github.spd4j.train.Lesson;
import io.github.spd4j.train.Stage;
import io.github.spd4j.train.TrainingPlan;
import io.github.spd4j.train.TrainingProgress;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What rare averaging of many workers costs in accuracy, on one machine: measures the table of
 * {@code docs/scaling.md}; not a test.
 */
final class AveragingSimulation implements Learning {

  private static final int BATCH = 32;

  private final int workers;
  private final int every;
  private double farthest;

  private AveragingSimulation(int workers, int every) {
    this.workers = workers;
    this.every = every;
  }

  /** Prints the table. */
  public static void main(String[] args) {
    QuickstartSettings settings = new QuickstartSettings();
    settings.imageSize = 32;
    TextureSet textures = TextureSet.generate(64, 30, 1, settings.imageSize, 1);
    TextureImages training = new TextureImages(textures, Split.TRAIN);
    TextureImages validation = new TextureImages(textures, Split.VALIDATION);
    Quickstart quickstart = new Quickstart(settings, name -> new TrainingProgress() {});
    ComputationGraph backbone = quickstart.backbone();
    FeatureCache cache = FeatureCache.inMemory();
    for (int workers : new int[] {1, 4, 16}) {
      for (int every : workers == 1 ? new int[] {1} : new int[] {1, 4, 16}) {
        ComputationGraph net = quickstart.graft(quickstart.heads().get(Quickstart.SPD), backbone);
        AveragingSimulation simulation = new AveragingSimulation(workers, every);
        TrainingResult result =
            TwoStageTrainer.builder(net, Quickstart.CUT)
                .plan(
                    TrainingPlan.recommended().toBuilder()
                        .batchSize(BATCH)
                        .epochs(Stage.HEAD, 4)
                        .epochs(Stage.WHOLE, 0)
                        .build())
                .training(training)
                .validation(validation)
                .featureCache(cache)
                .learning(simulation)
                .progress(new TrainingProgress() {})
                .build()
                .train();
        System.out.printf(
            Locale.ROOT,
            "%d workers, averaged every %d batches: ‖W̄ᵀW̄ − I‖ up to %.1e; %s%n",
            workers,
            every,
            simulation.farthest,
            result.history().stream()
                .map(e -> String.format("%.1f %%", 100 * e.validationAccuracy()))
                .collect(Collectors.joining(", ")));
      }
    }
  }

  @Override
  public void learn(ComputationGraph net, Lesson lesson) {
    int[] order = lesson.order();
    for (int start = 0; start < order.length; start += every * BATCH) {
      round(net, lesson, order, start, Math.min(order.length, start + every * BATCH));
    }
  }

  /** Every worker goes on from the same parameters with its share of each batch. */
  private void round(ComputationGraph net, Lesson lesson, int[] order, int start, int end) {
    INDArray parameters = net.params().dup();
    INDArray memory = net.getUpdater().getStateViewArray().dup();
    INDArray sum = parameters.like();
    INDArray memorySum = memory.like();
    for (int worker = 0; worker < workers; worker++) {
      net.params().assign(parameters);
      net.getUpdater().getStateViewArray().assign(memory);
      for (int batch = start; batch < end; batch += BATCH) {
        int size = Math.min(end - batch, BATCH);
        int from = batch + size * worker / workers;
        int to = batch + size * (worker + 1) / workers;
        int[] own = Arrays.copyOfRange(order, from, to);
        if (own.length > 0) {
          net.fit(new INDArray[] {lesson.inputs(own)}, new INDArray[] {lesson.labels(own)});
          lesson.learnt(own.length, 0, own.length * net.score());
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
