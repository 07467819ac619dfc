/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.util.List;
import java.util.Set;

/** Two random thirds of each class to train on and one to test on: one partition for each seed. */
final class Thirds implements Protocol {

  private static final int PARTS = 3;

  @Override
  public List<Partition> partitions(Splitter splitter) {
    ImageDataSet set = splitter.set();
    Strata strata = Strata.of(set.images(), set.classes().size());
    strata.forEach((label, images) -> requireEnough(set, label, images.size()));
    Set<ImageFile> test = strata.draw(Thirds::third, splitter.seed(), "test");
    String name = "seed " + splitter.seed();
    return List.of(splitter.split(name, image -> !test.contains(image), test::contains));
  }

  private static int third(int count) {
    return (int) Math.round((double) count / PARTS);
  }

  private static void requireEnough(ImageDataSet set, int label, int count) {
    if (count < PARTS) {
      throw new DataSetException(
          String.format(
              "%s: class '%s' has %d images, expected at least %d to divide it in thirds",
              set.root(), set.classes().get(label), count, PARTS));
    }
  }
}
