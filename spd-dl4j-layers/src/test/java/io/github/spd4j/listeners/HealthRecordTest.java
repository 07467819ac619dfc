/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.core.storage.StatsStorage;
import org.deeplearning4j.ui.model.storage.FileStatsStorage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthRecordTest {

  private static final HealthReport REPORT =
      new HealthReport(
          7,
          2,
          0.25,
          List.of(
              new LayerHealth(
                  "a", "A", Map.of(Figure.LAMBDA_MIN, -1.5, Figure.SIGMA_MEAN, Double.NaN)),
              new LayerHealth("b", "B", Map.of(Figure.CONDITION, Double.POSITIVE_INFINITY))),
          List.of("something"));

  private static void assertSame(HealthRecord decoded) {
    assertThat(decoded.report()).isEqualTo(REPORT);
    assertThat(decoded.getSessionID()).isEqualTo("session");
    assertThat(decoded.getTimeStamp()).isEqualTo(12);
  }

  @Test
  void comesBackFromBytes() {
    HealthRecord record = new HealthRecord("session", 12, REPORT);
    HealthRecord decoded = new HealthRecord();
    decoded.decode(record.encode());
    assertSame(decoded);
    assertThat(record.encodingLengthBytes()).isEqualTo(record.encode().length);
  }

  @Test
  void comesBackFromABufferAndAStream() throws IOException {
    HealthRecord record = new HealthRecord("session", 12, REPORT);
    ByteBuffer buffer = ByteBuffer.allocate(record.encodingLengthBytes());
    record.encode(buffer);
    buffer.flip();
    HealthRecord fromBuffer = new HealthRecord();
    fromBuffer.decode(buffer);
    assertSame(fromBuffer);

    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    record.encode(stream);
    HealthRecord fromStream = new HealthRecord();
    fromStream.decode(new ByteArrayInputStream(stream.toByteArray()));
    assertSame(fromStream);
  }

  @Test
  void damageIsNoticed() {
    byte[] sound = new HealthRecord("session", 12, REPORT).encode();
    for (int bit = 0; bit < 8 * sound.length; bit++) {
      byte[] damaged = sound.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> read(damaged))
          .as("bit " + bit)
          .isInstanceOf(UncheckedIOException.class);
    }
    assertThat(read(sound)).isEqualTo(REPORT);
    for (int length = 0; length < sound.length; length++) {
      byte[] part = Arrays.copyOf(sound, length);
      assertThatThrownBy(() -> read(part)).isInstanceOf(UncheckedIOException.class);
    }
  }

  private static HealthReport read(byte[] bytes) {
    HealthRecord record = new HealthRecord();
    record.decode(bytes);
    return record.report();
  }

  @Test
  void comesBackWithoutWhatWasNotMeasured() {
    HealthReport report = new HealthReport(1, 0, null, List.of(), List.of());
    assertThat(new HealthRecord("session", 1, report).report()).isEqualTo(report);
  }

  @Test
  void comesBackFromAFile(@TempDir Path folder) throws IOException {
    try (StatsStorageFile file = new StatsStorageFile(folder)) {
      new HealthPublisher(file.storage).publish(REPORT);
      String session = file.storage.listSessionIDs().get(0);
      HealthRecord record =
          (HealthRecord)
              file.storage.getLatestUpdate(session, HealthRecord.TYPE_ID, HealthRecord.WORKER_ID);
      assertThat(record.report()).isEqualTo(REPORT);
    }
  }

  @Test
  void recordsOfOneMillisecondDoNotReplaceEachOther(@TempDir Path folder) throws IOException {
    try (StatsStorageFile file = new StatsStorageFile(folder)) {
      HealthPublisher publisher = new HealthPublisher(file.storage);
      for (int i = 0; i < 20; i++) {
        publisher.publish(REPORT);
      }
      String session = file.storage.listSessionIDs().get(0);
      assertThat(file.storage.getNumUpdateRecordsFor(session)).isEqualTo(20);
    }
  }

  private static final class StatsStorageFile implements AutoCloseable {
    private final StatsStorage storage;

    StatsStorageFile(Path folder) {
      storage = new FileStatsStorage(folder.resolve("stats").toFile());
    }

    @Override
    public void close() throws IOException {
      storage.close();
    }
  }
}
