/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.Rectifier;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.layers.StiefelInit;
import io.github.spd4j.linalg.UpperTriangle;
import org.nd4j.linalg.learning.config.IUpdater;

/**
 * The SPD aggregation: an optional 1×1 convolution, a {@link KernelAggregationLayer}, any number of
 * {@link SpdTransformLayer}s and an {@link SpdVectorizationLayer}.
 */
public final class SpdHead extends VectorHead<SpdHead> {

  private Kernel kernel = new RbfKernel();
  private double ridge;
  private int[] sizes = {};
  private StiefelInit init = StiefelInit.RANDOM;
  private Rectifier rectifier = Rectifier.NONE;

  SpdHead() {}

  /**
   * The kernel, an {@link RbfKernel} unless set.
   *
   * @param kernel the kernel
   * @return this head
   */
  public SpdHead kernel(Kernel kernel) {
    this.kernel = kernel;
    return this;
  }

  /**
   * What is added to the diagonal of the kernel matrix; 0 unless set.
   *
   * @param epsilon not negative
   * @return this head
   */
  public SpdHead ridge(double epsilon) {
    this.ridge = epsilon;
    return this;
  }

  /**
   * The transforms; none unless set.
   *
   * @param sizes the size C' of each, none larger than what goes into it
   * @return this head
   */
  public SpdHead transforms(int... sizes) {
    this.sizes = sizes.clone();
    return this;
  }

  /**
   * How the W of the transforms start, {@link StiefelInit#RANDOM} unless set.
   *
   * @param init the start
   * @return this head
   */
  public SpdHead transformStart(StiefelInit init) {
    this.init = init;
    return this;
  }

  /**
   * What happens to the entries of the transformed matrices; nothing unless set.
   *
   * @param rectifier the rectifier
   * @return this head
   */
  public SpdHead rectifier(Rectifier rectifier) {
    this.rectifier = rectifier;
    return this;
  }

  @Override
  int grow(Stem stem, Part transforms) {
    stem.add(
        SpdGraft.AGGREGATION,
        new KernelAggregationLayer.Builder()
            .name(SpdGraft.AGGREGATION)
            .nIn(stem.channels())
            .dataFormat(stem.format())
            .kernel(kernel)
            .ridge(ridge)
            .build());
    int size = stem.channels();
    for (int i = 0; i < sizes.length; i++) {
      stem.add(SpdGraft.transform(i), transform(i, size, transforms.updater()));
      size = sizes[i];
    }
    stem.add(
        SpdGraft.VECTOR,
        normalised(new SpdVectorizationLayer.Builder()).name(SpdGraft.VECTOR).nIn(size).build());
    return UpperTriangle.length(size);
  }

  private SpdTransformLayer transform(int index, int size, IUpdater updater) {
    SpdTransformLayer.Builder layer =
        new SpdTransformLayer.Builder()
            .name(SpdGraft.transform(index))
            .nIn(size)
            .nOut(sizes[index])
            .init(init)
            .rectifier(rectifier);
    if (updater != null) {
      layer.updater(updater);
    }
    return layer.build();
  }
}
