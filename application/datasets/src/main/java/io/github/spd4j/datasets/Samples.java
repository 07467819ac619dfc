/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** One sample to train on, the others to test on, each sample in turn. */
final class Samples implements Protocol {

  @Override
  public List<Partition> partitions(Splitter splitter) {
    return splitter.set().images().stream()
        .map(Samples::sample)
        .collect(Collectors.toCollection(TreeSet::new))
        .stream()
        .map(sample -> partition(splitter, sample))
        .collect(Collectors.toList());
  }

  private static Partition partition(Splitter splitter, String sample) {
    return splitter.split(
        sample, image -> sample(image).equals(sample), image -> !sample(image).equals(sample));
  }

  private static String sample(ImageFile image) {
    return image.path().getParent().getFileName().toString();
  }
}
