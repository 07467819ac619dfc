/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.util.List;

/** How a data set is divided. */
interface Protocol {

  /** All partitions that the protocol averages over. */
  List<Partition> partitions(Splitter splitter);

  /** Divides the images to train on in a way that resembles the test. */
  default List<Partition> folds(Partition partition, int count, long seed) {
    return new Folds(partition).random(count, seed);
  }
}
