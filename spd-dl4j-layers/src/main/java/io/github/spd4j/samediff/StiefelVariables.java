/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.samediff;

import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.Stiefel;
import java.util.Objects;
import java.util.Set;
import org.nd4j.autodiff.listeners.At;
import org.nd4j.autodiff.listeners.BaseListener;
import org.nd4j.autodiff.listeners.Operation;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.VariableType;
import org.nd4j.autodiff.samediff.internal.Variable;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Keeps variables of a SameDiff graph on the Stiefel manifold while it is trained: {@code
 * sd.setListeners(new StiefelVariables("w"))}. They start there, as {@link Stiefel#random} or
 * {@link Stiefel#identity} does.
 *
 * <pre>
 * ξ = U − W sym(WᵀU)      U: what the graph's updater would subtract from W
 * W ← q(W − ξ)
 * </pre>
 *
 * <p>With {@code Sgd} this is the Riemannian gradient step in the Euclidean metric. Give W no L1,
 * L2 or weight decay.
 */
public final class StiefelVariables extends BaseListener {

  private final Set<String> names;
  private final Retraction retraction = Retraction.preferred();

  /**
   * A listener.
   *
   * @param names the variables [n, p], n ≥ p
   */
  public StiefelVariables(String... names) {
    for (String name : Objects.requireNonNull(names, "names")) {
      Objects.requireNonNull(name, "names");
    }
    this.names = Set.of(names);
  }

  @Override
  public boolean isActive(Operation operation) {
    return operation == Operation.TRAINING;
  }

  @Override
  public void operationStart(SameDiff sd, Operation operation) {
    for (String name : names) {
      SDVariable variable = sd.hasVariable(name) ? sd.getVariable(name) : null;
      if (variable == null || variable.getVariableType() != VariableType.VARIABLE) {
        throw new IllegalStateException(
            "expected a variable '" + name + "' in the graph, got " + variable);
      }
      Stiefel.check(variable.getArr(), NumericPolicy.REFUSED_OFF_MANIFOLD)
          .ifPresent(
              reason -> {
                throw new IllegalStateException(
                    "expected the variable '" + name + "' on the Stiefel manifold: " + reason);
              });
    }
  }

  @Override
  public void preUpdate(SameDiff sd, At at, Variable variable, INDArray update) {
    if (names.contains(variable.getName())) {
      INDArray w = variable.getVariable().getArr();
      INDArray tangent = Stiefel.projection(w, update);
      update.assign(w.sub(retraction.retract(w, -1, tangent)));
    }
  }
}
