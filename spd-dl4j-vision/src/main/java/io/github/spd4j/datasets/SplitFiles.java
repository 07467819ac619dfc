/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.io.File;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.datavec.api.io.labels.PathLabelGenerator;
import org.datavec.api.split.InputSplit;

/**
 * The files of a DataVec {@link InputSplit}, for {@link FileImages} to read.
 *
 * <pre>{@code
 * List<String> classes = SplitFiles.classes(labels, training, test);
 * List<ImageFile> files = SplitFiles.of(training, labels, classes);
 * FileImages images = new FileImages(files, classes.size(), Views.PLAIN, 224, Vgg16.PIXELS, 1);
 * }</pre>
 *
 * <p>Files are in the order of their paths, whatever the split's, so that a split that shuffles
 * gives the same list every time. The classes are given, because DataVec would number them by what
 * a split happens to contain.
 */
public final class SplitFiles {

  private SplitFiles() {}

  /**
   * The files of a split, with the numbers of their classes.
   *
   * @param split where the files are; those of every part of a data set make a split each
   * @param labels tells the class of a file
   * @param classes the names of the classes, in the order of their numbers
   * @return the files, named by their paths
   */
  public static List<ImageFile> of(
      InputSplit split, PathLabelGenerator labels, List<String> classes) {
    Objects.requireNonNull(split, "split");
    Objects.requireNonNull(labels, "labels");
    Objects.requireNonNull(classes, "classes");
    return Stream.of(split.locations())
        .sorted()
        .map(place -> file(place, labels.getLabelForPath(place).toString(), classes))
        .toList();
  }

  private static ImageFile file(URI place, String label, List<String> classes) {
    int number = classes.indexOf(label);
    if (number < 0) {
      throw new IllegalArgumentException(
          place + ": expected one of the classes " + classes + ", got " + label);
    }
    File file = new File(place);
    return new ImageFile(file.toPath(), file.getPath().replace(File.separatorChar, '/'), number);
  }

  /**
   * The classes of some splits together.
   *
   * @param labels tells the class of a file
   * @param splits all parts of a data set
   * @return the names of the classes, sorted
   */
  public static List<String> classes(PathLabelGenerator labels, InputSplit... splits) {
    Objects.requireNonNull(labels, "labels");
    Objects.requireNonNull(splits, "splits");
    return Stream.of(splits)
        .flatMap(split -> Stream.of(split.locations()))
        .map(place -> labels.getLabelForPath(place).toString())
        .distinct()
        .sorted()
        .toList();
  }
}
