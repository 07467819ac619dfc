/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.parallel;

import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.updater.StiefelUpdater;
import java.util.Objects;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.api.Trainable;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.updater.BaseMultiLayerUpdater;
import org.deeplearning4j.nn.updater.UpdaterBlock;
import org.deeplearning4j.nn.updater.UpdaterBlock.ParamState;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.config.IUpdater;

/**
 * Brings a network back to the manifold after the parameters of several workers were averaged.
 *
 * <pre>
 * W ← polar(W̄) = argmin Σᵢ ‖W − Wᵢ‖²  over  WᵀW = I,      W̄ = (W₁ + … + W_k) / k
 * v ← P_W(v̄) = v̄ − W sym(Wᵀv̄)
 * </pre>
 *
 * The polar factor of the mean is the point of the manifold with the least sum of squared distances
 * to the Ws of the workers, so nothing has to be sent but the mean that every engine sends anyway.
 * (The Q factor is not: it is nearest to the first columns, at the cost of the last.) The
 * projection gives the tangent vector at the new W that is nearest to the averaged momentum. A W
 * that is on the manifold already, and a momentum that is tangent, stay as they are, up to
 * rounding.
 */
public final class StiefelAveraging {

  private StiefelAveraging() {}

  /**
   * Restores every parameter of a network whose updater is a {@link StiefelUpdater}, and what that
   * updater remembers.
   *
   * @param net a ComputationGraph or MultiLayerNetwork with averaged parameters and averaged
   *     updater state, which is changed
   * @return the largest ‖WᵀW − I‖ before; 0 if the network has no such parameter
   * @throws ArithmeticException if a mean has no nearest point, because the workers' Ws are as far
   *     apart as W and −W
   */
  public static double restore(Model net) {
    Objects.requireNonNull(net, "net");
    if (net instanceof ComputationGraph) {
      return restore(((ComputationGraph) net).getUpdater());
    }
    return restore((BaseMultiLayerUpdater<?>) ((MultiLayerNetwork) net).getUpdater());
  }

  private static double restore(BaseMultiLayerUpdater<?> updater) {
    double largest = 0;
    for (UpdaterBlock block : updater.getUpdaterBlocks()) {
      long memoryStart = 0;
      for (ParamState state : block.getLayersAndVariablesInBlock()) {
        Trainable layer = state.getLayer();
        IUpdater rule = layer.getConfig().getUpdaterByParam(state.getParamName());
        if (rule instanceof StiefelUpdater) {
          INDArray w = layer.paramTable(false).get(state.getParamName());
          long memoryEnd = memoryStart + rule.stateSize(w.length());
          largest = Math.max(largest, restore(w, layer, state.getParamName()));
          ((StiefelUpdater) rule).transport(w, part(block, memoryStart, memoryEnd));
          memoryStart = memoryEnd;
        }
      }
    }
    return largest;
  }

  private static INDArray part(UpdaterBlock block, long start, long end) {
    INDArray all = block.getUpdaterView();
    return start == end ? null : all.reshape(all.length()).get(NDArrayIndex.interval(start, end));
  }

  private static double restore(INDArray w, Trainable layer, String name) {
    double distance = Stiefel.distanceFromManifold(w);
    try {
      w.assign(Stiefel.nearest(w));
    } catch (ArithmeticException e) {
      throw new ArithmeticException(
          String.format(
              "%s: the mean of the workers' %s has no nearest point on the Stiefel manifold, they"
                  + " are too far apart; expected averaging more often, or smaller rates (%s)",
              layer.getConfig().getLayerName(), name, e.getMessage()));
    }
    return distance;
  }
}
