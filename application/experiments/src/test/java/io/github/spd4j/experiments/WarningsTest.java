/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.datasets.ImageContents;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.datasets.Partition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WarningsTest {

  @TempDir Path folder;

  private ImageFile image(String name, String content) throws IOException {
    Path file = Files.writeString(folder.resolve(name), content);
    return new ImageFile(file, name, 0);
  }

  private List<String> lines(
      List<ImageFile> training, List<ImageFile> validation, List<ImageFile> test) {
    List<ImageFile> all = new ArrayList<>(training);
    all.addAll(validation);
    all.addAll(test);
    Partition partition = new Partition("seed 1", List.of("a"), training, validation, test);
    return new Warnings(partition, ImageContents.of(all)).lines();
  }

  @Test
  void aTestImageThatChoosesTheEpochIsNamedLikeOneThatTrains() throws IOException {
    List<ImageFile> training = List.of(image("1", "one"), image("2", "two"));
    List<ImageFile> validation = List.of(image("3", "three"));
    assertThat(lines(training, validation, List.of(image("4", "four"))))
        .noneMatch(line -> line.contains("copies"));
    for (String known : List.of("two", "three")) {
      assertThat(lines(training, validation, List.of(image("4", "four"), image("5", known))))
          .anyMatch(
              line ->
                  line.contains("copies of 1 test image are among the images to train on; 5 is"));
    }
  }
}
