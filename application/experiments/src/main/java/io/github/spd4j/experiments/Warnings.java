/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.ImageContents;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.datasets.Partition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Why the figures of a run mean little: too few images, unequal classes, the same images twice. */
record Warnings(Partition partition, ImageContents contents) {

  private static final int FEW_VALIDATION_IMAGES = 50;
  private static final int FEW_TEST_IMAGES = 100;

  /** How many times as many images the largest class has as the smallest. */
  private static final int UNEQUAL = 3;

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    int validation = partition.validation().size();
    if (validation > 0 && validation < FEW_VALIDATION_IMAGES) {
      lines.add(
          "only %d validation images choose rates and the best epoch, which is partly chance"
              .formatted(validation));
    }
    int test = partition.test().size();
    if (test > 0 && test < FEW_TEST_IMAGES) {
      lines.add(
          String.format(
              Locale.ROOT,
              "only %d test images: one more right or wrong moves the accuracy by %.1f points",
              test,
              100.0 / test));
    }
    unequalClasses(lines);
    twins(lines);
    return lines;
  }

  private void unequalClasses(List<String> lines) {
    Map<Integer, Integer> sizes =
        partition.training().stream()
            .collect(Collectors.toMap(ImageFile::label, image -> 1, Integer::sum, TreeMap::new));
    unequal(sizes, partition.classes())
        .ifPresent(
            line -> lines.add("unequal classes: " + line + "; --balance lets each count as much"));
  }

  /** The largest and the smallest of classes that are unequal. */
  static Optional<String> unequal(Map<Integer, Integer> sizes, List<String> classes) {
    var largest = Collections.max(sizes.entrySet(), Map.Entry.comparingByValue());
    var smallest = Collections.min(sizes.entrySet(), Map.Entry.comparingByValue());
    return largest.getValue() >= UNEQUAL * smallest.getValue()
        ? Optional.of(
            "%d images to train on of '%s', %d of '%s'"
                .formatted(
                    largest.getValue(),
                    classes.get(largest.getKey()),
                    smallest.getValue(),
                    classes.get(smallest.getKey())))
        : Optional.empty();
  }

  private void twins(List<String> lines) {
    List<ImageFile> learnt = new ArrayList<>(partition.training());
    learnt.addAll(partition.validation());
    Map<ImageFile, ImageFile> twins = contents.twins(partition.test(), learnt);
    twins.entrySet().stream()
        .findFirst()
        .ifPresent(
            twin ->
                lines.add(
                    "the accuracy is too high: copies of %d test %s are among the images to train on; %s is the same as %s"
                        .formatted(
                            twins.size(),
                            twins.size() == 1 ? "image" : "images",
                            twin.getKey(),
                            twin.getValue())));
  }
}
