/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Path;
import java.util.List;

/** How the files of a data set lie in their folders, and how the images are divided. */
interface DataSetFormat {

  /** What has to be there, as part of a sentence. */
  String expects();

  /** Whether a folder looks like it. No list is read and no image is opened. */
  boolean fits(Path root);

  /** Reads the classes and the images' names. */
  ImageDataSet read(String title, Path root);

  /** All partitions that the protocol averages over; random thirds where a set has no protocol. */
  default List<Partition> partitions(Splitter splitter) {
    return List.of(splitter.thirds());
  }

  /** Divides the images to train on in a way that resembles the test. */
  default List<Partition> folds(Partition partition, int count, long seed) {
    return partition.randomFolds(count, seed);
  }
}
