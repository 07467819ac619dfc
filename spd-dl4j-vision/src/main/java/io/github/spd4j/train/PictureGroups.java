/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.internal.engine.ImageBatches;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Images by the pictures that they are views of. Whoever has learnt from one view of a picture
 * knows the others, so only whole pictures can tell what a classifier is worth.
 */
final class PictureGroups {

  private PictureGroups() {}

  static long count(ImageBatches images) {
    return IntStream.range(0, images.size()).map(i -> images.pictures(i)[0]).distinct().count();
  }

  /**
   * Images with the views of a picture next to one another. Pictures stay in the order of their
   * first views.
   */
  static int[] together(ImageBatches images, int... order) {
    return byPicture(images, order).stream()
        .flatMapToInt(views -> views.stream().mapToInt(i -> i))
        .toArray();
  }

  /**
   * The images of the pictures that come first in an order.
   *
   * @param share how many pictures there are for each that is taken
   */
  static BitSet first(ImageBatches images, int share, int... order) {
    Collection<List<Integer>> pictures = byPicture(images, order);
    BitSet first = new BitSet();
    pictures.stream().limit(pictures.size() / share).forEach(views -> views.forEach(first::set));
    return first;
  }

  private static Collection<List<Integer>> byPicture(ImageBatches images, int... order) {
    return Arrays.stream(order)
        .boxed()
        .collect(
            Collectors.groupingBy(
                i -> images.pictures(i)[0], LinkedHashMap::new, Collectors.toList()))
        .values();
  }
}
