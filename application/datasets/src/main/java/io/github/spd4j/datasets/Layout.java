/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Path;

/** How the files of a data set lie in their folders. */
interface Layout {

  /** What has to be there, as part of a sentence. */
  String wants();

  /** Whether a folder looks like it. No list is read and no image is opened. */
  boolean fits(Path root);

  /** Reads the classes and the images' names. */
  ImageDataSet read(String title, Path root);
}
