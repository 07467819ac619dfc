/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.experiments.UserException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options of {@code spd bench}. */
final class BenchOptions {

  private static final String THREADS_VARIABLE = "OMP_NUM_THREADS";

  @Option(names = "--batch", paramLabel = "N", description = "Images in a batch.")
  int batch = 32;

  @Option(names = "--channels", paramLabel = "C", description = "Feature maps of an image.")
  int channels = 512;

  @Option(names = "--outputs", paramLabel = "C'", description = "Rows of the transformed matrix.")
  int outputs = 512;

  @Option(names = "--side", paramLabel = "N", description = "Height and width of a feature map.")
  int side = 14;

  @Option(names = "--classes", paramLabel = "N", description = "Number of classes.")
  int classes = 47;

  @Option(
      names = "--images",
      paramLabel = "N",
      description = "Images for the convolutions of VGG-16; 0 leaves the convolutions out.")
  int images = 8;

  @Option(
      names = "--image-size",
      paramLabel = "N",
      description = "Height and width of these images.")
  int imageSize = 224;

  @Option(
      names = "--whole",
      description = "Also times a training step of VGG-16 with the head; slow without a GPU.")
  boolean whole;

  @Option(names = "--repeats", paramLabel = "N", description = "Measurements of each side.")
  int repeats = 7;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description =
          "Threads of each side, by default one for each processor. The launcher passes it on as"
              + " OMP_NUM_THREADS.")
  int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--python",
      paramLabel = "FILE",
      description = "A Python with PyTorch; by default python3, then /usr/bin/python3.")
  String python;

  @Option(
      names = "--growth",
      description = "Also measures how a step grows with the batch, with C and with C'.")
  boolean growth;

  @Option(
      names = "--heads",
      description = "Instead measures every head, without PyTorch, each in a process of its own.")
  boolean heads;

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FOLDER",
      description = "Where to write bench.md and bench.json.")
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
    if (outputs > channels) {
      throw new UserException(
          "--outputs needs at most --channels " + channels + ", got " + outputs);
    }
    String set = System.getenv(THREADS_VARIABLE);
    if (set != null && !set.equals(String.valueOf(threads))) {
      throw new UserException(
          "--threads needs the number that our side was started with, %s = %s, got %d"
              .formatted(THREADS_VARIABLE, set, threads));
    }
  }

  private static void atLeast(int least, int value, String option) {
    if (value < least) {
      throw new UserException(option + " needs a number of at least " + least + ", got " + value);
    }
  }
}
