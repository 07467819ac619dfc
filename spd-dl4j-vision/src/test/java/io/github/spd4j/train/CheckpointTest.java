/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class CheckpointTest {

  @TempDir Path folder;

  private final ComputationGraph net = TinyTask.net();
  private final INDArray updaterState = Nd4j.linspace(1, 9, 9, DataType.FLOAT).reshape(1, 9);
  private Path file;

  @BeforeEach
  void write() {
    file = folder.resolve("checkpoint.zip");
    TrainingState state = new TrainingState(Map.of("a", "b"), TinyTask.plan(3, 2).build());
    Checkpoint.write(file, net, updaterState, state);
  }

  @Test
  void whatWasWrittenIsRead() {
    Checkpoint read = Checkpoint.read(file);
    assertThat(read.parameters).isEqualTo(net.params());
    assertThat(read.updaterState).isEqualTo(updaterState);
    assertThat(read.state.best()).isNull();
  }

  @Test
  void noFlippedBitIsUsed() throws IOException {
    byte[] sound = Files.readAllBytes(file);
    Random random = new Random(1);
    int refused = 0;
    for (int i = 0; i < 100; i++) {
      byte[] damaged = sound.clone();
      damaged[random.nextInt(sound.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(file, damaged);
      try {
        whatWasWrittenIsRead(); // it may be the time of an entry that was hit
      } catch (UncheckedIOException e) {
        assertThat(e).hasMessageContaining("checkpoint.zip").hasMessageContaining("delete it");
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(80);
  }

  @Test
  void aMissingEntryIsNoticed() throws IOException {
    Path part = folder.resolve("part.zip");
    try (ZipFile zip = new ZipFile(file.toFile());
        ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(part))) {
      for (ZipEntry entry : (Iterable<ZipEntry>) zip.stream().map(ZipEntry.class::cast)::iterator) {
        if (!entry.getName().contains("pdaterState")) {
          out.putNextEntry(new ZipEntry(entry.getName()));
          out.write(zip.getInputStream(entry).readAllBytes());
        }
      }
    }
    assertThatThrownBy(() -> Checkpoint.read(part))
        .isInstanceOf(UncheckedIOException.class)
        .hasRootCauseMessage("expected an entry training/headUpdaterState.bin, got none");
  }
}
