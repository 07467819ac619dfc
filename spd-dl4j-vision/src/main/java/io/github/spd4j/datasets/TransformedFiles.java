/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import io.github.spd4j.images.Pixels;
import io.github.spd4j.images.SafeImageLoader;
import io.github.spd4j.internal.images.SeededRandom;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.datavec.image.data.ImageWritable;
import org.datavec.image.transform.ImageTransform;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Images of files after a transform of DataVec, which must give the same for the same seed. */
final class TransformedFiles {

  private final ImageTransform transform;
  private boolean checked;

  TransformedFiles(ImageTransform transform) {
    this.transform = transform;
  }

  /** A file's picture, transformed and then resized to a square. */
  Pixels pixels(ImageFile file, int size, long seed) {
    requireRepeatable(file, size, seed);
    return transformed(file, size, seed);
  }

  private synchronized void requireRepeatable(ImageFile file, int size, long seed) {
    if (!checked) {
      float[][] planes = transformed(file, size, seed).planes();
      if (!Arrays.deepEquals(planes, transformed(file, size, seed).planes())) {
        throw new IllegalArgumentException(
            "expected a transform that gives the same image for the same seed, got others from "
                + transform.getClass().getName()
                + ": it must draw from the Random that it is given");
      }
      checked = true;
    }
  }

  /** A transform keeps its last image, so that only one thread can use it. */
  private synchronized Pixels transformed(ImageFile file, int size, long seed) {
    try {
      SafeImageLoader loader = new SafeImageLoader(size, size, 3);
      ImageWritable picture = loader.asWritable(file.path().toFile());
      Random random = SeededRandom.of(seed, "variant");
      INDArray colours = loader.asMatrix(transform.transform(picture, random));
      float[][] planes = new float[3][];
      Arrays.setAll(planes, c -> colours.slice(0).slice(c).dup('c').data().asFloat());
      return new Pixels(planes, size, size);
    } catch (IOException e) {
      throw new DataSetException(e.getMessage(), e);
    }
  }
}
