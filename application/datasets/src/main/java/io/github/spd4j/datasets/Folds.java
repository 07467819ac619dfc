/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Divides the images to train on, so that each is left out once. */
final class Folds {

  private final Partition partition;

  Folds(Partition partition) {
    this.partition = partition;
  }

  /** As many images of each class in every fold, drawn at random; at most as many as there are. */
  List<Partition> random(int count, long seed) {
    List<Set<ImageFile>> folds = new ArrayList<>();
    for (int fold = 0; fold < count; fold++) {
      folds.add(new HashSet<>());
    }
    Strata.of(partition.training(), partition.classes().size())
        .forEach(
            (label, images) -> {
              if (images.size() < 2) {
                throw new DataSetException(
                    String.format(
                        "class '%s' has %d images to train on (%s), expected at least 2 for folds",
                        partition.classes().get(label), images.size(), partition.name()));
              }
              List<ImageFile> shuffled = new ArrayList<>(images);
              Collections.shuffle(shuffled, Chance.of(seed, "fold " + label));
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
    return folds.stream()
        .filter(fold -> !fold.isEmpty())
        .map(this::without)
        .collect(Collectors.toList());
  }

  private Partition without(Set<ImageFile> fold) {
    List<ImageFile> rest = new ArrayList<>(partition.training());
    rest.removeIf(fold::contains);
    List<ImageFile> held = new ArrayList<>(partition.training());
    held.retainAll(fold);
    return new Partition(partition.name(), partition.classes(), rest, partition.validation(), held);
  }
}
