/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.MatrixSquareRootLayer;
import io.github.spd4j.layers.ReEigLayer;
import io.github.spd4j.layers.Rectifier;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.layers.StiefelInit;
import io.github.spd4j.operators.vectors.UpperTriangle;
import java.util.function.IntFunction;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.nd4j.linalg.learning.config.IUpdater;

/**
 * The SPD aggregation: an optional 1×1 convolution, a {@link KernelAggregationLayer}, any number of
 * {@link SpdTransformLayer}s, each with a {@link ReEigLayer} if wanted, a {@link
 * MatrixSquareRootLayer} or {@link LogEigLayer} if wanted, and an {@link SpdVectorizationLayer}.
 */
public final class SpdHead extends VectorHead<SpdHead> {

  private Kernel kernel = new RbfKernel();
  private double ridge;
  private int[] sizes = {};
  private StiefelInit init = StiefelInit.RANDOM;
  private Rectifier rectifier = Rectifier.NONE;
  private Double eigenvalueFloor;
  private IntFunction<Layer> function;

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

  /**
   * Raises the small eigenvalues of each transformed matrix ({@link ReEigLayer}); not done unless
   * set.
   *
   * @param floor what they are raised to, greater than 0
   * @return this head
   */
  public SpdHead eigenvalueRectifier(double floor) {
    this.eigenvalueFloor = floor;
    return this;
  }

  /**
   * Takes the square root of the last matrix ({@link MatrixSquareRootLayer}), and no logarithm; not
   * done unless set.
   *
   * @param iterations at least 1; the paper's are {@link MatrixSquareRootLayer#DEFAULT_ITERATIONS}
   * @return this head
   */
  public SpdHead squareRoot(int iterations) {
    this.function =
        size ->
            new MatrixSquareRootLayer.Builder()
                .name(SpdGraft.FUNCTION)
                .nIn(size)
                .iterations(iterations)
                .build();
    return this;
  }

  /**
   * Takes the logarithm of the last matrix ({@link LogEigLayer}), and no square root; not done
   * unless set.
   *
   * @param floor what smaller eigenvalues are raised to before, greater than 0
   * @return this head
   */
  public SpdHead logarithm(double floor) {
    this.function =
        size -> new LogEigLayer.Builder().name(SpdGraft.FUNCTION).nIn(size).floor(floor).build();
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
      if (eigenvalueFloor != null) {
        stem.add(SpdGraft.rectifier(i), rectifier(i, size));
      }
    }
    if (function != null) {
      stem.add(SpdGraft.FUNCTION, function.apply(size));
    }
    stem.add(
        SpdGraft.VECTOR,
        normalised(new SpdVectorizationLayer.Builder()).name(SpdGraft.VECTOR).nIn(size).build());
    return UpperTriangle.length(size);
  }

  private ReEigLayer rectifier(int index, int size) {
    return new ReEigLayer.Builder()
        .name(SpdGraft.rectifier(index))
        .nIn(size)
        .floor(eigenvalueFloor)
        .build();
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
