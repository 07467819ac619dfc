/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.models.ModelCard;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Where a training keeps its checkpoint and its network, if it keeps them. */
final class TrainingFolder {

  private final Path folder;
  private final ComputationGraph net;
  private final ModelCard card;

  /**
   * A folder.
   *
   * @param folder created if it does not exist; null to keep nothing
   * @param net the network that is trained
   * @param card what its file says about it, or null
   */
  TrainingFolder(Path folder, ComputationGraph net, ModelCard card) {
    this.folder = folder;
    this.net = net;
    this.card = card;
  }

  Path place(String name) {
    return folder.resolve(name);
  }

  /** The checkpoint to go on from, or null; a folder that cannot be written to is refused. */
  Checkpoint checkpoint() {
    if (folder == null) {
      return null;
    }
    try {
      Files.createDirectories(folder);
      if (!Files.isWritable(folder)) {
        throw new IOException("no permission to write there");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("expected a folder to write to, got " + folder, e);
    }
    return Checkpoint.read(place(TwoStageTrainer.CHECKPOINT));
  }

  void save(TrainingState state, INDArray updaterState) {
    if (folder != null) {
      Checkpoint.write(place(TwoStageTrainer.CHECKPOINT), net, updaterState, state);
    }
  }

  void saveModel() {
    if (folder != null) {
      AtomicFile.write(place(TwoStageTrainer.MODEL), this::writeModel);
    }
  }

  private void writeModel(OutputStream out) throws IOException {
    if (card == null) {
      ModelSerializer.writeModel(net, out, false);
    } else {
      card.write(net, out);
    }
  }

  @Override
  public String toString() {
    return String.valueOf(folder);
  }
}
