/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Three scales to train on, the others to test on: the three lowest, the three highest and the
 * three in the middle.
 */
final class Scales implements Protocol {

  private static final int GROUP = 3;

  @Override
  public List<Partition> partitions(Splitter splitter) {
    List<Integer> scales = scales(splitter.set());
    int last = scales.size() - GROUP;
    if (last < 1) {
      throw new DataSetException(
          String.format(
              "%s: has images of the scales %s, expected at least %d scales",
              splitter.set().root(), scales, GROUP + 1));
    }
    return List.of(
        partition(splitter, scales.subList(0, GROUP)),
        partition(splitter, scales.subList(last, last + GROUP)),
        partition(splitter, scales.subList(last / 2, last / 2 + GROUP)));
  }

  /** One scale is left out, whatever the count: images of other scales are to be recognised. */
  @Override
  public List<Partition> folds(Partition partition, int count, long seed) {
    return new Folds(partition).by(ScaleLayout::scale);
  }

  private static List<Integer> scales(ImageDataSet set) {
    return new ArrayList<>(
        set.images().stream()
            .map(ScaleLayout::scale)
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  private static Partition partition(Splitter splitter, List<Integer> scales) {
    return splitter.split(
        "scales " + scales.get(0) + "-" + scales.get(GROUP - 1),
        image -> scales.contains(ScaleLayout.scale(image)),
        image -> !scales.contains(ScaleLayout.scale(image)));
  }
}
