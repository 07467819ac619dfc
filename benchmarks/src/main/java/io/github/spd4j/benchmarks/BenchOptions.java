/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.acceleration.Precision;
import io.github.spd4j.experiments.UserException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of {@code spd bench}; what the help says is in {@code BenchCommand.properties}. */
final class BenchOptions {

  private static final String THREADS_VARIABLE = "OMP_NUM_THREADS";

  @Option(names = "--batch", paramLabel = "N")
  int batch = 32;

  @Option(names = "--channels", paramLabel = "C")
  int channels = 512;

  @Option(names = "--outputs", paramLabel = "C'")
  int outputs = 512;

  @Option(names = "--side", paramLabel = "N")
  int side = 14;

  @Option(names = "--classes", paramLabel = "N")
  int classes = 47;

  @Option(names = "--images", paramLabel = "N")
  int images = 8;

  @Option(names = "--image-size", paramLabel = "N")
  int imageSize = 224;

  @Option(names = "--whole")
  boolean whole;

  @Option(names = "--precision", paramLabel = "NAME", split = ",")
  List<Precision> precisions = List.of();

  @Option(names = "--eigen")
  boolean eigen;

  @Option(names = "--repeats", paramLabel = "N")
  int repeats = 7;

  @Option(names = "--warm-up", paramLabel = "SECONDS")
  double warmUp = 5;

  @Option(names = "--threads", paramLabel = "N")
  int threads = Runtime.getRuntime().availableProcessors();

  @Option(names = "--python", paramLabel = "FILE")
  String python;

  @Option(names = "--growth")
  boolean growth;

  @Option(names = "--heads")
  boolean heads;

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FOLDER")
  Path out = Path.of("bench");

  HeadSize size() {
    return new HeadSize(batch, channels, outputs, side, classes);
  }

  void check() {
    atLeast(1, batch, "--batch");
    atLeast(2, channels, "--channels");
    atLeast(1, outputs, "--outputs");
    atLeast(1, side, "--side");
    atLeast(2, classes, "--classes");
    atLeast(0, images, "--images");
    atLeast(32, imageSize, "--image-size");
    atLeast(1, repeats, "--repeats");
    atLeast(1, threads, "--threads");
    if (!(warmUp >= 0)) {
      throw new UserException("--warm-up needs at least 0 seconds, got " + warmUp);
    }
    if (outputs > channels) {
      throw new UserException(
          "--outputs needs at most --channels " + channels + ", got " + outputs);
    }
    checkPrecisions();
    String set = System.getenv(THREADS_VARIABLE);
    if (set != null && !set.equals(String.valueOf(threads))) {
      throw new UserException(
          "--threads needs the number that our side was started with, %s = %s, got %d"
              .formatted(THREADS_VARIABLE, set, threads));
    }
  }

  private void checkPrecisions() {
    if (precisions.contains(Precision.FLOAT)) {
      throw new UserException(
          "--precision adds rows to those in float, which are there anyway: leave it out");
    }
    if (!precisions.isEmpty() && (heads || images == 0 && !whole)) {
      throw new UserException(
          "--precision needs convolutions, the only ones to use it: --images of at least 1 or"
              + " --whole, and no --heads");
    }
    for (Precision precision : precisions) {
      if (!Rounding.of(precision).isThere()) {
        throw new UserException(
            "--precision "
                + precision
                + " needs an NVIDIA GPU of compute capability 8.0, cuDNN 8 and spd-dl4j-cuda: our"
                + " convolutions are in FLOAT without them");
      }
    }
  }

  private static void atLeast(int least, int value, String option) {
    if (value < least) {
      throw new UserException(option + " needs a number of at least " + least + ", got " + value);
    }
  }
}
