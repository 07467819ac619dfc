/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.manifold.StiefelGeometry;
import io.github.spd4j.updater.StiefelHandOver.Parcel;
import java.util.List;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.GradientUpdater;

/**
 * Executes a {@link StiefelUpdater} on a block of parameters.
 *
 * <p>DL4J merges neighbouring parameters with equal updaters into one block and subtracts from them
 * what the gradient array holds afterwards. For each W that was handed over, that is {@code W − q(W
 * − λη)}, so that the subtraction lands on the manifold.
 */
final class StiefelStep implements GradientUpdater<StiefelUpdater> {

  private final StiefelUpdater config;
  private final StiefelGeometry geometry;
  private INDArray state;

  StiefelStep(StiefelUpdater config, INDArray state, boolean initialize, StiefelGeometry geometry) {
    this.config = config;
    this.geometry = geometry;
    setState(state, initialize);
  }

  @Override
  public void applyUpdater(INDArray gradient, int iteration, int epoch) {
    List<Parcel> parcels = StiefelHandOver.take();
    requireAll(parcels, gradient);
    long stateStart = 0;
    for (Parcel parcel : parcels) {
      long stateEnd = stateStart + config.stateSize(parcel.w.length());
      INDArray memory =
          stateEnd == stateStart ? null : state.get(NDArrayIndex.interval(stateStart, stateEnd));
      step(parcel, memory, iteration, epoch);
      stateStart = stateEnd;
    }
  }

  private void step(Parcel parcel, INDArray memory, int iteration, int epoch) {
    INDArray w = parcel.w;
    INDArray tangent = config.tangent(geometry, w, parcel.gradient, memory);
    double squares = geometry.squaredNorm(tangent);
    requireFinite(squares, parcel, iteration);
    INDArray direction = config.direction(geometry, w, tangent, squares, memory);
    double rate = config.getLearningRate(iteration, epoch);
    if (!Double.isFinite(rate)) { // ND4J would take a NaN for a small number
      throw new IllegalStateException(
          String.format(
              "%s: expected a finite learning rate, got %s from %s at iteration %s",
              parcel.owner, rate, config, iteration));
    }
    INDArray next = retract(parcel, -rate, direction, iteration);
    w.sub(next, parcel.gradient);
  }

  private INDArray retract(Parcel parcel, double t, INDArray direction, int iteration) {
    try {
      return geometry.retract(config.getRetraction(), parcel.w, t, direction);
    } catch (ArithmeticException e) {
      throw new NotFiniteException(
          String.format(
              "%s: %s could not bring W back to the Stiefel manifold at iteration %s (%s); W is "
                  + "unchanged. A step this large calls for a smaller learning rate.",
              parcel.owner, config, iteration, e.getMessage()));
    }
  }

  private void requireAll(List<Parcel> parcels, INDArray block) {
    long handedOver = parcels.stream().mapToLong(p -> p.w.length()).sum();
    if (handedOver != block.length()) {
      throw new IllegalStateException(
          String.format(
              "%s needs parameters on the Stiefel manifold, such as the W of SpdTransformLayers, "
                  + "got %s parameters of which %s are. Set it with updater(…) on those layers alone, "
                  + "and another updater for the rest of the network.",
              config.getClass().getSimpleName(), block.length(), handedOver));
    }
  }

  /**
   * What is not finite in the gradient of W or in W is not finite in the gradient on the manifold.
   */
  private void requireFinite(double squares, Parcel parcel, int iteration) {
    if (Double.isFinite(squares)) {
      return;
    }
    String what =
        !Matrices.isFinite(parcel.gradient)
            ? "the gradient of W"
            : !Matrices.isFinite(parcel.w) ? "W" : "the gradient on the manifold";
    throw new NotFiniteException(
        String.format(
            "%s: got NaN or infinity in %s at iteration %s, expected finite numbers; no "
                + "parameter was changed",
            parcel.owner, what, iteration));
  }

  @Override
  public StiefelUpdater getConfig() {
    return config;
  }

  @Override
  public void setState(Map<String, INDArray> stateMap, boolean initialize) {
    setState(stateMap.get(STATE_KEY), initialize);
  }

  @Override
  public Map<String, INDArray> getState() {
    return state == null ? Map.of() : Map.of(STATE_KEY, state);
  }

  @Override
  public void setStateViewArray(
      INDArray viewArray, long[] gradientShape, char gradientOrder, boolean initialize) {
    setState(viewArray, initialize);
  }

  private static final String STATE_KEY = "state";

  private void setState(INDArray view, boolean initialize) {
    this.state = view == null ? null : view.reshape(view.length());
    if (initialize && state != null) {
      state.assign(0);
    }
  }
}
