/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Makes partitions of one data set, with validation images cut from those to train on. */
final class Splitter {

  private final ImageDataSet set;
  private final long seed;
  private final double validationShare;

  Splitter(ImageDataSet set, long seed, double validationShare) {
    if (!(validationShare >= 0 && validationShare < 1)) {
      throw new IllegalArgumentException(
          "expected a share for validation of at least 0 and below 1, got " + validationShare);
    }
    this.set = set;
    this.seed = seed;
    this.validationShare = validationShare;
  }

  ImageDataSet set() {
    return set;
  }

  long seed() {
    return seed;
  }

  /** The images that are in neither part are left out. */
  Partition split(String name, Predicate<ImageFile> training, Predicate<ImageFile> test) {
    List<ImageFile> learn = select(set.images(), training);
    List<ImageFile> tested = select(set.images(), test);
    requireTest(name, tested, training);
    Strata strata = Strata.of(learn, set.classes().size());
    strata.forEach((label, images) -> requireEnough(name, label, images.size()));
    Set<ImageFile> held = strata.draw(this::held, seed, "validation");
    List<ImageFile> rest = new ArrayList<>(learn);
    rest.removeAll(held);
    return new Partition(name, set.classes(), rest, select(learn, held::contains), tested);
  }

  private void requireTest(String name, List<ImageFile> test, Predicate<ImageFile> training) {
    if (test.isEmpty()) {
      throw new DataSetException(
          set.root() + ": no images to test on (" + name + "), expected at least one");
    }
    for (ImageFile image : select(test, training)) {
      throw new DataSetException(
          image.path() + ": both to train and to test on (" + name + "), expected one of them");
    }
  }

  private void requireEnough(String name, int label, int count) {
    int wanted = validationShare > 0 ? 2 : 1;
    if (count < wanted) {
      throw new DataSetException(
          String.format(
              "%s: class '%s' has %d images to train on (%s), expected at least %d%s",
              set.root(),
              set.classes().get(label),
              count,
              name,
              wanted,
              validationShare > 0 ? ", one of them for validation" : ""));
    }
  }

  /** At least one of each class if any are wanted, and never all. */
  private int held(int count) {
    int share = (int) Math.round(validationShare * count);
    return validationShare == 0 ? 0 : Math.max(1, Math.min(count - 1, share));
  }

  private static List<ImageFile> select(List<ImageFile> images, Predicate<ImageFile> wanted) {
    return images.stream().filter(wanted).collect(Collectors.toList());
  }
}
