/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.spark.BroadcastObject;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.images.LabelledImages;
import java.io.Serializable;
import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.api.MultiDataSet;
import org.nd4j.linalg.factory.Nd4j;

/** A worker's share of a batch: numbers of images and the seeds of their variants, no pixels. */
final class BatchShare implements Serializable {

  private static final long serialVersionUID = 1L;

  private final int[] indices;
  private final long[] seeds;

  BatchShare(TrainingPass pass, int[] indices) {
    this.indices = indices;
    this.seeds = Arrays.stream(indices).mapToLong(pass::seed).toArray();
  }

  /** Reads the inputs where they are used. */
  MultiDataSet read(Source source) throws Exception {
    Nd4j.getRandom().setSeed(seeds[0]); // dropout and the like draw from there
    LabelledImages images = source.images.get();
    INDArray inputs = source.features == null ? variants(images) : source.features.batch(indices);
    return new org.nd4j.linalg.dataset.MultiDataSet(
        inputs.castTo(source.type), ImageBatches.oneHot(images, source.type, indices));
  }

  private INDArray variants(LabelledImages images) {
    INDArray[] stack = new INDArray[indices.length];
    Arrays.setAll(stack, i -> images.variant(indices[i], seeds[i]));
    return Nd4j.concat(0, stack);
  }

  /** Where inputs come from: features, or without them variants of images. */
  static final class Source implements Serializable {
    private static final long serialVersionUID = 1L;

    private final BroadcastObject<LabelledImages> images;
    private final FeatureParts features;
    private final DataType type;

    Source(BroadcastObject<LabelledImages> images, FeatureParts features, DataType type) {
      this.images = images;
      this.features = features;
      this.type = type;
    }
  }
}
