/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Files;
import java.util.List;

/** The folders {@code train} and {@code test} if they are there, otherwise random thirds. */
final class Foldered implements Protocol {

  @Override
  public List<Partition> partitions(Splitter splitter) {
    if (!Files.isDirectory(splitter.set().root().resolve(PlainLayout.TRAIN))) {
      return new Thirds().partitions(splitter);
    }
    return List.of(
        splitter.split(
            "as foldered",
            image -> image.name().startsWith(PlainLayout.TRAIN + "/"),
            image -> image.name().startsWith(PlainLayout.TEST + "/")));
  }
}
