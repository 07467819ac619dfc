/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code <class>/<number>-scale_<scale>_im_<pose>_col.png}, as KTH-TIPS has it. */
final class ScaleLayout implements Layout {

  private static final Pattern SCALE = Pattern.compile("scale_(\\d{1,4})_");

  @Override
  public String wants() {
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
    ClassFolders folders = new ClassFolders(root, "");
    for (int label = 0; label < folders.classes().size(); label++) {
      folders.add(folders.classes().get(label), label);
    }
    ImageDataSet set = folders.set(title);
    set.images().forEach(ScaleLayout::scale);
    return set;
  }

  /** The scale in an image's name. */
  static int scale(ImageFile image) {
    Matcher matcher = SCALE.matcher(image.path().getFileName().toString());
    if (!matcher.find()) {
      throw new DataSetException(
          image.path() + ": no scale in its name, expected one like '15-scale_1_im_1_col.png'");
    }
    return Integer.parseInt(matcher.group(1));
  }
}
