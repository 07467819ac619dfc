/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;

/**
 * Decodes every image of a data set once, on all cores, to find those that are unreadable or
 * truncated. Check before dividing a set, or a training may end at a damaged file.
 */
public final class ImageCheck {

  private final ImageDataSet set;
  private final List<Verdict> verdicts;

  private ImageCheck(ImageDataSet set, List<Verdict> verdicts) {
    this.set = set;
    this.verdicts = verdicts;
  }

  /**
   * Checks a data set.
   *
   * @param set the data set
   * @param progress is told after each image how many are done; by several threads, one at a time
   * @return what was found
   */
  public static ImageCheck of(ImageDataSet set, IntConsumer progress) {
    Counter counter = new Counter(progress);
    return new ImageCheck(
        set,
        set.images().parallelStream()
            .map(image -> new Verdict(image, check(image)))
            .peek(counter::count)
            .collect(Collectors.toList()));
  }

  /**
   * A check that was made elsewhere.
   *
   * @param set the data set
   * @param problems the problem of each image, in the order of the data set
   * @return what was found
   */
  public static ImageCheck of(ImageDataSet set, List<Optional<Problem>> problems) {
    List<Verdict> verdicts = new ArrayList<>();
    for (int i = 0; i < problems.size(); i++) {
      verdicts.add(new Verdict(set.images().get(i), problems.get(i)));
    }
    return new ImageCheck(set, verdicts);
  }

  /**
   * Decodes one image.
   *
   * @param image the image
   * @return what is wrong with it, if anything is
   */
  public static Optional<Problem> check(ImageFile image) {
    try {
      Canvas.read(image);
      return Optional.empty();
    } catch (DataSetException e) {
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
        verdicts.stream()
            .filter(verdict -> verdict.problem.isEmpty())
            .map(verdict -> verdict.image)
            .collect(Collectors.toList());
    return new ImageDataSet(set.name(), set.root(), set.classes(), images);
  }

  /**
   * The damaged images.
   *
   * @return one entry for each, in the order of the data set
   */
  public List<Problem> skipped() {
    return verdicts.stream()
        .map(verdict -> verdict.problem)
        .flatMap(Optional::stream)
        .collect(Collectors.toList());
  }

  /** An image and what is wrong with it. */
  private static final class Verdict {
    final ImageFile image;
    final Optional<Problem> problem;

    Verdict(ImageFile image, Optional<Problem> problem) {
      this.image = image;
      this.problem = problem;
    }
  }

  /** Counts across threads. */
  private static final class Counter {
    private final IntConsumer progress;
    private int done;

    Counter(IntConsumer progress) {
      this.progress = progress;
    }

    synchronized void count(Verdict verdict) {
      progress.accept(++done);
    }
  }
}
