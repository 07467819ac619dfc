/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Divides the images to train on, so that each is left out once. */
record Folds(Partition partition) {

  /** As many images of each class in every fold, drawn at random; at most as many as there are. */
  List<Partition> random(int count, long seed) {
    List<Set<ImageFile>> folds =
        Stream.<Set<ImageFile>>generate(HashSet::new).limit(count).toList();
    Strata strata = Strata.of(partition.training(), partition.classes().size());
    strata.forEach(
        (label, images) -> {
          if (images.size() < 2) {
            throw new DataSetException(
                "class '%s' has %d images to train on (%s), expected at least 2 for folds"
                    .formatted(partition.classes().get(label), images.size(), partition.name()));
          }
          List<ImageFile> shuffled = strata.shuffled(label, seed, "fold");
          for (int i = 0; i < shuffled.size(); i++) {
            folds.get(i % count).add(shuffled.get(i));
          }
        });
    return partitions(folds);
  }

  /** A fold for each group. */
  List<Partition> by(Function<ImageFile, ? extends Comparable<?>> group) {
    return partitions(
        partition.training().stream()
            .collect(Collectors.groupingBy(group, TreeMap::new, Collectors.toSet()))
            .values());
  }

  private List<Partition> partitions(Collection<Set<ImageFile>> folds) {
    return folds.stream().filter(fold -> !fold.isEmpty()).map(this::without).toList();
  }

  private Partition without(Set<ImageFile> fold) {
    var parts = partition.training().stream().collect(Collectors.partitioningBy(fold::contains));
    return new Partition(
        partition.name(),
        partition.classes(),
        parts.get(false),
        partition.validation(),
        parts.get(true));
  }
}
