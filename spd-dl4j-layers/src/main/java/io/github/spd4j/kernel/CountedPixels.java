/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The P pixels that a covariance is taken over: all of them, or those that a mask names. */
final class CountedPixels {

  private CountedPixels() {}

  /** How many count [N, 1, 1]. */
  private static SDVariable number(SDVariable mask) {
    return mask.sum(true, 2);
  }

  /** An array [N, …] of rank 3 divided by P. */
  static SDVariable share(SDVariable array, SDVariable mask, long pixels) {
    return mask == null ? array.div(pixels) : array.div(number(mask));
  }

  /** The maps less their means, 0 where a pixel does not count. */
  static SDVariable centred(SDVariable maps, SDVariable mask) {
    return mask == null
        ? maps.sub(maps.mean(true, 2))
        : maps.sub(maps.sum(true, 2).div(number(mask))).mul(mask);
  }

  /** An array [N, …] of rank 3 divided by P − 1, or by 1 if P is. */
  static SDVariable unbiased(SameDiff sd, SDVariable array, SDVariable mask, long pixels) {
    if (mask == null) {
      return array.mul(1.0 / Math.max(1, pixels - 1));
    }
    SDVariable number = number(mask);
    return array.div(number.sub(1).add(sd.lt(number, 1.5).castTo(array.dataType())));
  }

  /** P of each image [N, 1, 1]. */
  static INDArray number(INDArray maps, INDArray mask) {
    return mask == null
        ? Nd4j.valueArrayOf(new long[] {maps.size(0), 1, 1}, maps.size(2), maps.dataType())
        : mask.sum(true, 2);
  }
}
