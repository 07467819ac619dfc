/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code <class>/<number>-scale_<scale>_im_<pose>_col.png}. Three scales to train on, the others to
 * test on: the three lowest, the three highest and the three in the middle.
 */
final class KthTips implements DataSetFormat {

  private static final Pattern SCALE = Pattern.compile("scale_(\\d{1,4})_");
  private static final int GROUP = 3;

  @Override
  public String expects() {
    return "a folder for each class with images named like '15-scale_1_im_1_col.png'";
  }

  @Override
  public boolean fits(Path root) {
    return Folders.in(root).stream()
        .flatMap(name -> Folders.imagesIn(root.resolve(name)).stream())
        .anyMatch(name -> SCALE.matcher(name).find());
  }

  @Override
  public ImageDataSet read(String title, Path root) {
    ImageDataSet set = ClassFolders.read(title, root, List.of(""), folder -> List.of(""));
    set.images().forEach(KthTips::scale); // a name without a scale fails here, not later
    return set;
  }

  private static int scale(ImageFile image) {
    Matcher matcher = SCALE.matcher(image.path().getFileName().toString());
    if (!matcher.find()) {
      throw new DataSetException(
          image.path() + ": no scale in its name, expected one like '15-scale_1_im_1_col.png'");
    }
    return Integer.parseInt(matcher.group(1));
  }

  @Override
  public List<Partition> partitions(Splitter splitter) {
    List<Integer> scales =
        splitter.set().images().stream().map(KthTips::scale).distinct().sorted().toList();
    int last = scales.size() - GROUP;
    if (last < 1) {
      throw new DataSetException(
          "%s: has images of the scales %s, expected at least %d scales"
              .formatted(splitter.set().root(), scales, GROUP + 1));
    }
    return List.of(
        partition(splitter, scales.subList(0, GROUP)),
        partition(splitter, scales.subList(last, last + GROUP)),
        partition(splitter, scales.subList(last / 2, last / 2 + GROUP)));
  }

  private static Partition partition(Splitter splitter, List<Integer> scales) {
    return splitter.split(
        "scales " + scales.get(0) + "-" + scales.get(GROUP - 1),
        image -> scales.contains(scale(image)));
  }

  /** One scale is left out, whatever the count: images of other scales are to be recognised. */
  @Override
  public List<Partition> folds(Partition partition, int count, long seed) {
    return partition.foldsBy(KthTips::scale);
  }
}
