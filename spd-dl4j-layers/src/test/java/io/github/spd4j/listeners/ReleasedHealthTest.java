/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.testing.ReleasedFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.deeplearning4j.core.storage.StatsStorage;
import org.deeplearning4j.ui.model.storage.FileStatsStorage;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Records in storages of DL4J's user interface that releases wrote are read. */
class ReleasedHealthTest {

  private static final long TIME = 1600000000000L;

  static Stream<Named<Path>> folders() {
    return ReleasedFiles.folders("health", ReleasedHealthTest::write);
  }

  private static HealthReport report() {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      figures.put(figure, 0.25 * (figure.ordinal() + 1));
    }
    return new HealthReport(
        7,
        2,
        0.125,
        List.of(
            new LayerHealth("spd", "SpdTransformLayer", figures),
            new LayerHealth(
                "kernel",
                "KernelAggregationLayer",
                Map.of(Figure.CONDITION, Double.POSITIVE_INFINITY))),
        List.of("a warning"));
  }

  /** Zipped because it is mostly empty. */
  private static void write(Path folder) throws IOException {
    Path file = folder.resolve("storage");
    StatsStorage storage = new FileStatsStorage(file.toFile());
    storage.putUpdate(new HealthRecord("session", TIME, report()));
    storage.close();
    try (OutputStream out = Files.newOutputStream(folder.resolve("health.zip"));
        ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.putNextEntry(new ZipEntry("storage"));
      Files.copy(file, zip);
      zip.closeEntry();
    }
    Files.delete(file);
  }

  @ParameterizedTest
  @MethodSource("folders")
  void aRecordComesBack(Path release, @TempDir Path folder) throws IOException {
    Path file = folder.resolve("stats");
    try (ZipFile zip = new ZipFile(release.resolve("health.zip").toFile());
        InputStream in = zip.getInputStream(zip.getEntry("storage"))) {
      Files.copy(in, file);
    }
    StatsStorage storage = new FileStatsStorage(file.toFile());
    try {
      HealthRecord record =
          (HealthRecord)
              storage.getLatestUpdate("session", HealthRecord.TYPE_ID, HealthRecord.WORKER_ID);
      assertThat(record.report()).isEqualTo(report());
      assertThat(record.getTimeStamp()).isEqualTo(TIME);
    } finally {
      storage.close();
    }
  }
}
