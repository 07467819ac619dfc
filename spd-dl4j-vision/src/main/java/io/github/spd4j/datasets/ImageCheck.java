/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import io.github.spd4j.images.Pixels;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Decodes every image of a data set once, on all cores, to find those that are unreadable or
 * truncated. Check before dividing a set, or a training may end at a damaged file.
 *
 * @param set the data set
 * @param problems the problem of each image, in the order of the data set
 */
public record ImageCheck(ImageDataSet set, List<Optional<Problem>> problems) {

  private static final int NAMED = 5;

  /**
   * Checks a data set.
   *
   * @param set the data set
   * @param progress is told after each image how many are done; by several threads, one at a time
   * @return what was found
   */
  public static ImageCheck of(ImageDataSet set, IntConsumer progress) {
    Objects.requireNonNull(set, "set");
    Objects.requireNonNull(progress, "progress");
    int[] done = new int[1];
    return new ImageCheck(
        set,
        set.images().parallelStream()
            .map(
                image -> {
                  Optional<Problem> problem = check(image);
                  synchronized (done) {
                    progress.accept(++done[0]);
                  }
                  return problem;
                })
            .toList());
  }

  /**
   * Decodes one image.
   *
   * @param image the image
   * @return what is wrong with it, if anything is
   */
  public static Optional<Problem> check(ImageFile image) {
    Objects.requireNonNull(image, "image");
    try {
      Pixels.check(image.path());
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(new Problem(image.name(), e.getMessage()));
    }
  }

  /**
   * The data set without the damaged images.
   *
   * @return the same classes, in the same order
   * @throws DataSetException if a class has no sound image
   */
  public ImageDataSet sound() {
    List<ImageFile> images =
        IntStream.range(0, problems.size())
            .filter(i -> problems.get(i).isEmpty())
            .mapToObj(set.images()::get)
            .toList();
    return new ImageDataSet(set.name(), set.root(), set.classes(), images);
  }

  /**
   * The damaged images.
   *
   * @return one entry for each, in the order of the data set
   */
  public List<Problem> skipped() {
    return problems.stream().flatMap(Optional::stream).toList();
  }

  /**
   * What lies in the folders of the images and is not read: other files, such as HEIC, and folders.
   *
   * @return how many there are and the names of the first, or nothing if there are none
   */
  public Optional<String> unread() {
    List<String> others = Folders.besides(set);
    if (others.isEmpty()) {
      return Optional.empty();
    }
    String names = String.join(", ", others.subList(0, Math.min(NAMED, others.size())));
    String more = others.size() > NAMED ? " and " + (others.size() - NAMED) + " more" : "";
    return Optional.of(
        "%d in the folders of the images: %s%s".formatted(others.size(), names, more));
  }
}
