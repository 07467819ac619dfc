/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Pixels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The pretrained network on photographs of birds that ImageNet has a class for. Runs where the
 * environment variable {@code SPD4J_DATA} names a folder with the weights in {@code googlenet} and
 * the birds in {@code cub50/test}.
 */
class GoogLeNetPhotographsTest {

  private static final String VARIABLE = "SPD4J_DATA";

  /** What the folder of a bird has in its name, and the bird's number among ImageNet's classes. */
  private static final Map<String, Integer> CLASSES =
      Map.of("albatross", 146, "goldfinch", 11, "hummingbird", 94, "jay", 17, "pelican", 144);

  private static final int PHOTOGRAPHS_PER_BIRD = 4;

  @Test
  void birdsAreRecognised() throws IOException {
    String variable = System.getenv(VARIABLE);
    assumeTrue(
        variable != null, VARIABLE + " names no folder with the weights and the photographs");
    Path data = Paths.get(variable);
    ComputationGraph graph = GoogLeNet.load(data.resolve("googlenet")).net();
    List<Path> wrong = new ArrayList<>();
    int total = 0;
    for (Path folder : list(data.resolve("cub50").resolve("test"))) {
      int expected = imageNetClass(folder);
      if (expected < 0) {
        continue;
      }
      List<Path> photographs = list(folder).subList(0, PHOTOGRAPHS_PER_BIRD);
      int[] answers = graph.outputSingle(read(photographs)).argMax(1).toIntVector();
      for (int i = 0; i < answers.length; i++) {
        if (answers[i] != expected) {
          wrong.add(photographs.get(i));
        }
      }
      total += answers.length;
    }
    assertThat(total).as("photographs").isGreaterThanOrEqualTo(8);
    // No network knows every photograph; a wrong constant or a mixed-up channel costs many more.
    assertThat(wrong).as("wrong of %d", total).hasSizeLessThanOrEqualTo(total / 8);
  }

  private static INDArray read(List<Path> photographs) throws IOException {
    INDArray[] images = new INDArray[photographs.size()];
    for (int i = 0; i < images.length; i++) {
      Pixels pixels = Pixels.read(photographs.get(i)).resize(GoogLeNet.SIZE, GoogLeNet.SIZE);
      images[i] = PixelFormat.CAFFE.array(pixels);
    }
    return Nd4j.concat(0, images);
  }

  private static int imageNetClass(Path folder) {
    String name = folder.getFileName().toString().toLowerCase(Locale.ROOT);
    return CLASSES.entrySet().stream()
        .filter(entry -> name.endsWith(entry.getKey()))
        .mapToInt(Map.Entry::getValue)
        .findFirst()
        .orElse(-1);
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().collect(Collectors.toList());
    }
  }
}
