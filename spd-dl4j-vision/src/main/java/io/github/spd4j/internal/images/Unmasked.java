/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.images;

import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;

/** Images all of whose pixels count. */
public final class Unmasked {

  private Unmasked() {}

  /**
   * The images of a batch.
   *
   * @param batch images with labels
   * @return its features
   * @throws IllegalArgumentException if it has a mask, which would be ignored
   */
  public static INDArray features(DataSet batch) {
    if (batch.getFeaturesMaskArray() != null || batch.getLabelsMaskArray() != null) {
      throw new IllegalArgumentException(
          "expected images without masks, got a mask of "
              + (batch.getFeaturesMaskArray() != null ? "features" : "labels")
              + ": leave out images that do not count, cut those of another size (Views), or train"
              + " with fit() of the network, which takes masks");
    }
    return batch.getFeatures();
  }
}
