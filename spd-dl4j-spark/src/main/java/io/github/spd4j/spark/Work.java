/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.Stage;
import java.io.Serializable;
import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.api.MultiDataSet;
import org.nd4j.linalg.factory.Nd4j;

/** One batch of one worker: numbers of images and the seeds of their variants, no pixels. */
final class Work implements Serializable {

  private static final long serialVersionUID = 1L;

  private final int[] indices;
  private final long[] seeds;

  Work(TrainingPass lesson, int[] indices) {
    this.indices = indices;
    this.seeds = Arrays.stream(indices).mapToLong(lesson::seed).toArray();
  }

  /** Reads the inputs where the work is done. */
  MultiDataSet read(Source source) throws Exception {
    Nd4j.getRandom().setSeed(seeds[0]); // dropout and the like draw from there
    LabelledImages images = source.images.get();
    INDArray labels = Nd4j.zeros(source.type, indices.length, images.classes());
    for (int i = 0; i < indices.length; i++) {
      labels.putScalar(i, images.label(indices[i]), 1);
    }
    INDArray inputs = source.stage == Stage.HEAD ? source.parts.batch(indices) : variants(images);
    return new org.nd4j.linalg.dataset.MultiDataSet(inputs.castTo(source.type), labels);
  }

  private INDArray variants(LabelledImages images) {
    INDArray[] stack = new INDArray[indices.length];
    Arrays.setAll(stack, i -> images.variant(indices[i], seeds[i]));
    return Nd4j.concat(0, stack);
  }

  /** Where inputs come from. */
  static final class Source implements Serializable {
    private static final long serialVersionUID = 1L;

    final Stage stage;
    final Shared<LabelledImages> images;
    final FeatureParts parts;
    final DataType type;

    Source(Stage stage, Shared<LabelledImages> images, FeatureParts parts, DataType type) {
      this.stage = stage;
      this.images = images;
      this.parts = parts;
      this.type = type;
    }
  }
}
