/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.backbones.Scattering;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.images.Views;
import io.github.spd4j.statistics.RidgeClassifier;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Whether wavelets tell some classes apart: a classifier of the means of their maps, for a few
 * images of each class, each answered by the others. It takes seconds.
 *
 * @param classes how many classes there are
 * @param accuracy the share of right answers; nothing if there are too few images to tell
 */
record ScatteringCheck(int classes, OptionalDouble accuracy) {

  /** Of each class; with fewer in any of them, a share of right answers is mostly chance. */
  private static final int FEWEST = 10;

  private static final int MOST = 160;
  private static final int BATCH = 16;

  private static final String REMEDY =
      " get a pretrained backbone as said above, or take it nevertheless with --backbone"
          + " scattering";

  /** Of the way from chance to all right; photographs of objects and materials have less. */
  private static final double BEARABLE = 0.5;

  static ScatteringCheck of(ImageDataSet set) {
    return of(set, Scattering.backbone().size());
  }

  /** The same of images of another size. */
  static ScatteringCheck of(ImageDataSet set, int size) {
    int classes = set.classes().size();
    Collection<List<ImageFile>> byClass =
        set.images().stream().collect(Collectors.groupingBy(ImageFile::label)).values();
    int each = Math.max(FEWEST, MOST / classes);
    if (byClass.stream().anyMatch(images -> images.size() < FEWEST)) {
      return new ScatteringCheck(classes, OptionalDouble.empty());
    }
    List<ImageFile> sample =
        byClass.stream().flatMap(images -> TimeEstimate.sample(images, each).stream()).toList();
    int[] labels = sample.stream().mapToInt(ImageFile::label).toArray();
    RidgeClassifier fitted = RidgeClassifier.fit(means(sample, classes, size), labels, classes);
    return new ScatteringCheck(classes, OptionalDouble.of(fitted.leaveOneOutAccuracy()));
  }

  private static INDArray means(List<ImageFile> sample, int classes, int size) {
    Backbone backbone = Scattering.backbone();
    FileImages images = new FileImages(sample, classes, Views.PLAIN, size, backbone.pixels(), 1);
    INDArray[] means =
        IntStream.range(0, (sample.size() + BATCH - 1) / BATCH)
            .mapToObj(
                batch -> {
                  int end = Math.min(sample.size(), (batch + 1) * BATCH);
                  INDArray[] stack =
                      IntStream.range(batch * BATCH, end)
                          .mapToObj(images::image)
                          .toArray(INDArray[]::new);
                  return backbone.net().outputSingle(false, Nd4j.concat(0, stack)).mean(2, 3);
                })
            .toArray(INDArray[]::new);
    return Nd4j.concat(0, means);
  }

  /** Whether the classes are plainly not of textures. */
  boolean isPoor() {
    double chance = 1.0 / classes;
    return accuracy.isPresent() && accuracy.getAsDouble() - chance < BEARABLE * (1 - chance);
  }

  /**
   * Refuses classes that are plainly not of textures, or too small to tell.
   *
   * @throws UserException if they are
   */
  void require() {
    if (accuracy.isEmpty()) {
      throw new UserException(
          "fewer than %d pictures of a class do not tell whether scattering is good enough for them;"
                  .formatted(FEWEST)
              + REMEDY);
    }
    if (isPoor()) {
      throw new UserException(
          String.format(
              Locale.ROOT,
              "scattering is too poor for these pictures: in a quick check %.0f %% of the answers"
                  + " were right (by chance %.0f %%);"
                  + REMEDY,
              100 * accuracy.getAsDouble(),
              100.0 / classes));
    }
  }
}
