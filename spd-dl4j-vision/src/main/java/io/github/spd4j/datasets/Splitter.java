/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Makes partitions of one data set, with validation images cut from those to train on. */
record Splitter(ImageDataSet set, long seed, double validationShare) {

  private static final int THIRDS = 3;

  Splitter {
    if (!(validationShare >= 0 && validationShare < 1)) {
      throw new IllegalArgumentException(
          "expected a share for validation of at least 0 and below 1, got " + validationShare);
    }
  }

  /** Two random thirds of each class to train on and one to test on. */
  Partition thirds() {
    Strata strata = Strata.of(set.images(), set.classes());
    strata.requireEach(
        THIRDS, set.root() + ": ", ", expected at least " + THIRDS + " to divide it in thirds");
    Set<ImageFile> test =
        strata.draw(count -> (int) Math.round((double) count / THIRDS), seed, "test");
    return split("seed " + seed, image -> !test.contains(image));
  }

  /** What is not trained on is tested on. */
  Partition split(String name, Predicate<ImageFile> training) {
    return split(name, training, training.negate());
  }

  /** The images that are in neither part are left out. */
  Partition split(String name, Predicate<ImageFile> training, Predicate<ImageFile> test) {
    List<ImageFile> learn = select(set.images(), training);
    List<ImageFile> tested = select(set.images(), test);
    requireTest(name, tested, training);
    Strata strata = Strata.of(learn, set.classes());
    String needed = validationShare > 0 ? "2, one of them for validation" : "1";
    strata.requireEach(
        validationShare > 0 ? 2 : 1,
        set.root() + ": ",
        " to train on (" + name + "), expected at least " + needed);
    Set<ImageFile> held = strata.draw(this::held, seed, "validation");
    return new Partition(
        name,
        set.classes(),
        select(learn, image -> !held.contains(image)),
        select(learn, held::contains),
        tested);
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

  /** At least one of each class if there is a share, and never all. */
  private int held(int count) {
    int share = (int) Math.round(validationShare * count);
    return validationShare == 0 ? 0 : Math.max(1, Math.min(count - 1, share));
  }

  private static List<ImageFile> select(List<ImageFile> images, Predicate<ImageFile> which) {
    return images.stream().filter(which).toList();
  }
}
