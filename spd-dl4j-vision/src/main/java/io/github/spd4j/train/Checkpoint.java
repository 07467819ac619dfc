/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.models.ModelArchive;
import io.github.spd4j.train.plan.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.zip.Deflater;
import java.util.zip.ZipOutputStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * A whole network and the state of its training in one file, which is also a model file of DL4J:
 * {@code ModelSerializer.restoreComputationGraph} reads it and passes over what it does not know.
 *
 * <p>The network is in {@code configuration.json} and {@code coefficients.bin}, the state of its
 * updaters in stage two in {@code updaterState.bin}, all as DL4J stores them; the rest is below.
 */
final class Checkpoint {

  /** Version, settings, stage, phase, epoch, plateau, guard, counts and history. */
  private static final String STATE = "training/state.json";

  /** Weights of the best epoch; in stage one those of the head. */
  private static final String BEST = "training/best.bin";

  /** Weights that stage two goes back to. */
  private static final String STAGE_ONE = "training/stageOne.bin";

  /** State of the head's updaters, in stage one. */
  private static final String HEAD_UPDATER = "training/headUpdaterState.bin";

  /** The names of the optional entries, so that a missing one is noticed. */
  private static final String ENTRIES = "training/entries.txt";

  private static final ObjectMapper JSON = new ObjectMapper();

  final TrainingState state;
  final INDArray parameters;
  final INDArray updaterState;

  private Checkpoint(TrainingState state, INDArray parameters, INDArray updaterState) {
    this.state = state;
    this.parameters = parameters;
    this.updaterState = updaterState;
  }

  /**
   * Writes a checkpoint in place of the last one.
   *
   * @param file the file
   * @param net the whole network
   * @param updaterState the state of the updaters of the network that learns; may be null
   * @param state the state of the training
   */
  static void write(Path file, ComputationGraph net, INDArray updaterState, TrainingState state) {
    Map<String, INDArray> optional = new LinkedHashMap<>();
    optional.put(updaterEntry(state), updaterState);
    optional.put(BEST, state.best());
    optional.put(STAGE_ONE, state.stageOne());
    optional.values().removeIf(Objects::isNull);
    AtomicFile.write(
        file,
        out -> {
          ZipOutputStream zip = new ZipOutputStream(out);
          zip.setLevel(Deflater.NO_COMPRESSION); // weights hardly shrink
          ModelArchive.put(
              zip, ModelSerializer.CONFIGURATION_JSON, net.getConfiguration().toJson());
          ModelArchive.put(zip, ModelSerializer.COEFFICIENTS_BIN, net.params());
          ModelArchive.put(
              zip, STATE, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(state));
          ModelArchive.put(zip, ENTRIES, String.join("\n", optional.keySet()));
          for (Map.Entry<String, INDArray> entry : optional.entrySet()) {
            ModelArchive.put(zip, entry.getKey(), entry.getValue());
          }
          zip.finish();
        });
  }

  /**
   * In stage one the updaters are those of the head, which DL4J must not take for the network's.
   */
  private static String updaterEntry(TrainingState state) {
    return state.stage() == Stage.HEAD ? HEAD_UPDATER : ModelSerializer.UPDATER_BIN;
  }

  /**
   * Reads a checkpoint.
   *
   * @param file the file
   * @return the checkpoint, or null if there is no such file
   */
  static Checkpoint read(Path file) {
    if (!Files.exists(file)) {
      return null;
    }
    try (ModelArchive archive = ModelArchive.open(file)) {
      requireEntries(archive);
      archive.text(ModelSerializer.CONFIGURATION_JSON); // only to find damage
      TrainingState state = JSON.readValue(archive.text(STATE), TrainingState.class);
      state.requireVersion();
      state.keep(vector(archive, BEST), vector(archive, STAGE_ONE));
      INDArray parameters = archive.vector(ModelSerializer.COEFFICIENTS_BIN, 1, Long.MAX_VALUE);
      return new Checkpoint(state, parameters, vector(archive, updaterEntry(state)));
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot read the checkpoint " + file + "; delete it to begin anew", e);
    }
  }

  private static void requireEntries(ModelArchive archive) throws IOException {
    for (String name : archive.text(ENTRIES).split("\n")) {
      if (!name.isEmpty() && !archive.names().contains(name)) {
        throw new IOException("expected an entry " + name + ", got none");
      }
    }
  }

  private static INDArray vector(ModelArchive archive, String name) throws IOException {
    return archive.names().contains(name) ? archive.vector(name, 1, Long.MAX_VALUE) : null;
  }
}
