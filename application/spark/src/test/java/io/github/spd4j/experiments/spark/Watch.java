/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import io.github.spd4j.experiments.Progress;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.progress.EpochRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;

/** Looks at every checkpoint, and does something after the first round of an epoch. */
final class Watch implements Progress {

  final List<Double> distances = new ArrayList<>();
  final List<EpochRecord> epochs = new ArrayList<>();
  final List<String> messages = new ArrayList<>();
  private final Path run;
  private Runnable mischief;

  Watch(Path run, Runnable mischief) {
    this.run = run;
    this.mischief = mischief;
  }

  /** ‖WᵀW − I‖ in a checkpoint or a model. */
  static double distance(Path file) {
    try {
      ComputationGraph net = ModelSerializer.restoreComputationGraph(file.toFile(), false);
      return net.paramTable().entrySet().stream()
          .filter(parameter -> parameter.getKey().startsWith(SpdGraft.TRANSFORM))
          .mapToDouble(parameter -> Stiefel.distanceFromManifold(parameter.getValue()))
          .max()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void batchDone(int done, double loss, double accuracy) {
    if (mischief != null && !epochs.isEmpty()) {
      mischief.run();
      mischief = null;
    }
  }

  @Override
  public void epochDone(EpochRecord record) {
    epochs.add(record);
    Path checkpoint = run.resolve(TwoStageTrainer.CHECKPOINT);
    if (checkpoint.toFile().exists()) { // not yet before the first epoch
      distances.add(distance(checkpoint));
    }
  }

  @Override
  public void message(String text) {
    messages.add(text);
  }
}
