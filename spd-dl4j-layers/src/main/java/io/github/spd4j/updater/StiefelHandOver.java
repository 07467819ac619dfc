/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import io.github.spd4j.internal.backend.Arguments;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.regularization.Regularization;

/**
 * Hands a layer's W to the Stiefel updater that DL4J calls next on the same thread.
 *
 * <p>It changes neither the parameter nor the gradient and adds nothing to the score. A layer of
 * your own with a parameter on the Stiefel manifold returns it from {@code
 * getRegularizationByParam} for that parameter, as long as the parameter's updater is a {@link
 * StiefelUpdater}.
 */
public final class StiefelHandOver implements Regularization {

  private static final long serialVersionUID = 1L;

  private static final ThreadLocal<List<Parcel>> PENDING = ThreadLocal.withInitial(ArrayList::new);

  private final String owner;
  private final long rows;
  private final long columns;

  /**
   * A hand-over of a parameter.
   *
   * @param owner what error messages call the layer
   * @param rows n of W [n, p]
   * @param columns p of W [n, p]
   */
  public StiefelHandOver(String owner, long rows, long columns) {
    this.owner = Objects.requireNonNull(owner, "owner");
    this.rows = Arguments.atLeast(rows, 1, "rows");
    this.columns = Arguments.atLeast(columns, 1, "columns");
  }

  @Override
  public ApplyStep applyStep() {
    return ApplyStep.BEFORE_UPDATER;
  }

  @Override
  public void apply(INDArray param, INDArray gradView, double lr, int iteration, int epoch) {
    PENDING.get().add(new Parcel(owner, matrix(param), matrix(gradView)));
  }

  private INDArray matrix(INDArray flat) {
    return flat.reshape('c', rows, columns);
  }

  @Override
  public double score(INDArray param, int iteration, int epoch) {
    return 0;
  }

  @Override
  public Regularization clone() {
    return this; // immutable
  }

  /** What was handed over on this thread since the last call, in the order of the parameters. */
  static List<Parcel> take() {
    List<Parcel> parcels = PENDING.get();
    PENDING.remove();
    return parcels;
  }

  /** A parameter and its gradient, both views [n, p] of the network's arrays. */
  static final class Parcel {
    final String owner;
    final INDArray w;
    final INDArray gradient;

    Parcel(String owner, INDArray w, INDArray gradient) {
      this.owner = owner;
      this.w = w;
      this.gradient = gradient;
    }
  }
}
