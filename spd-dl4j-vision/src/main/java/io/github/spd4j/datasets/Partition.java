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

/**
 * One way to divide a data set into images to train, to validate and to test on. No image is in two
 * parts, and each part is in the order of the data set.
 *
 * @param name what tells it from the others of its data set, such as "seed 1" or "sample_a"
 * @param classes the classes of the data set, whether or not each part has images of all
 * @param training the images to train on, without those for validation
 * @param validation the images to watch the training with, cut from those to train on; maybe none
 * @param test the images to test on
 */
public record Partition(
    String name,
    List<String> classes,
    List<ImageFile> training,
    List<ImageFile> validation,
    List<ImageFile> test) {

  /**
   * Folds of the images to train on: as many of each class in every one, drawn at random; at most
   * as many folds as there are images.
   */
  List<Partition> randomFolds(int count, long seed) {
    List<Set<ImageFile>> folds =
        Stream.<Set<ImageFile>>generate(HashSet::new).limit(count).toList();
    Strata strata = Strata.of(training, classes);
    strata.requireEach(2, "", " to train on (" + name + "), expected at least 2 for folds");
    strata.forEach(
        (label, images) -> {
          List<ImageFile> shuffled = strata.shuffled(label, seed, "fold");
          for (int i = 0; i < shuffled.size(); i++) {
            folds.get(i % count).add(shuffled.get(i));
          }
        });
    return leavingOut(folds);
  }

  /** A fold of the images to train on for each group. */
  List<Partition> foldsBy(Function<ImageFile, ? extends Comparable<?>> group) {
    return leavingOut(
        training.stream()
            .collect(Collectors.groupingBy(group, TreeMap::new, Collectors.toSet()))
            .values());
  }

  /** Partitions of the images to train on that test on one of the folds each. */
  private List<Partition> leavingOut(Collection<Set<ImageFile>> folds) {
    return folds.stream().filter(fold -> !fold.isEmpty()).map(this::without).toList();
  }

  private Partition without(Set<ImageFile> fold) {
    var parts = training.stream().collect(Collectors.partitioningBy(fold::contains));
    return new Partition(name, classes, parts.get(false), validation, parts.get(true));
  }
}
