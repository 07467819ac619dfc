/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers.runtime;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.MaskState;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.layers.samediff.SameDiffLayer;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Executes a layer configuration that is a {@link ClosedForm}.
 *
 * <p>The forward pass keeps what the backward pass needs, so that nothing is computed twice. What
 * it keeps is its own: the output that other layers see, and may change, is a copy. Where a
 * configuration has {@link Fused} passes for the arrays at hand, they take the place of the
 * definition in SameDiff.
 */
public final class SpdRuntimeLayer extends SameDiffLayer {

  private static final long serialVersionUID = 1L;

  /** Graphs for this many image sizes are kept; a network seldom sees more in turn. */
  private static final int MAX_GRAPHS = 8;

  private final transient Map<String, ForwardGraph> graphs =
      new LinkedHashMap<>(MAX_GRAPHS, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ForwardGraph> eldest) {
          return size() > MAX_GRAPHS;
        }
      };

  /** Null if there is none for this configuration. */
  private final transient Fused fused;

  private transient Saved saved;

  /**
   * A runtime layer without parameters yet.
   *
   * @param conf the configuration, whose layer is a {@link ClosedForm}
   * @param dataType the network's data type
   */
  public SpdRuntimeLayer(NeuralNetConfiguration conf, DataType dataType) {
    super(conf, dataType);
    form().validateDataType(dataType);
    this.fused = form().fused();
  }

  private ClosedForm form() {
    return (ClosedForm) conf.getLayer();
  }

  @Override
  public INDArray activate(boolean training, LayerWorkspaceMgr workspaceMgr) {
    assertInputSet(false);
    form().validateInput(input);
    if (!(training && isFused() && fused.checksParamsWithGradients())) {
      form().validateParams(paramTable);
    }
    input = input.castTo(dataType);
    applyDropOutIfNecessary(training, workspaceMgr);
    if (isFused()) {
      return fusedForward(training, results(workspaceMgr, ArrayType.ACTIVATIONS));
    }
    return workspaceMgr.dup(ArrayType.ACTIVATIONS, forward(training));
  }

  private boolean isFused() {
    return fused != null && fused.handles(input);
  }

  private INDArray fusedForward(boolean training, Fused.Results results) {
    saved = training ? new Saved(input, paramTable, Map.of()) : null;
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      return fused.forward(input, paramTable, results, training);
    }
  }

  private Fused.Results results(LayerWorkspaceMgr workspaceMgr, ArrayType type) {
    return shape -> workspaceMgr.createUninitialized(type, dataType, shape, 'c');
  }

  private INDArray forward(boolean training) {
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      Map<String, INDArray> values = new HashMap<>();
      INDArray output = forward(training, values);
      saved = training ? new Saved(input, paramTable, values) : null;
      return output;
    }
  }

  private INDArray forward(boolean training, Map<String, INDArray> values) {
    if (form() instanceof DirectForm) {
      return ((DirectForm) form()).forward(input, values);
    }
    ForwardGraph graph = graphFor(input.shape());
    values.putAll(graph.run(input, paramTable, training));
    return values.get(graph.output());
  }

  private ForwardGraph graphFor(long[] inputShape) {
    String withoutBatch = Arrays.toString(Arrays.copyOfRange(inputShape, 1, inputShape.length));
    return graphs.computeIfAbsent(
        withoutBatch, shape -> new ForwardGraph(form(), dataType, inputShape, paramTable));
  }

  @Override
  public Pair<Gradient, INDArray> backpropGradient(
      INDArray epsilon, LayerWorkspaceMgr workspaceMgr) {
    assertInputSet(true);
    if (saved == null || saved.input() != input) {
      forwardAgain();
    }
    INDArray byOutput = epsilon.castTo(dataType);
    INDArray inputGradient =
        isFused()
            ? fusedBackward(byOutput, results(workspaceMgr, ArrayType.ACTIVATION_GRAD))
            : form().backward(saved, byOutput, gradients());
    saved = null;
    Gradient gradient = new DefaultGradient();
    for (String name : paramTable.keySet()) {
      gradient.gradientForVariable().put(name, gradTable.get(name));
    }
    INDArray result = workspaceMgr.leverageTo(ArrayType.ACTIVATION_GRAD, inputGradient);
    return new Pair<>(gradient, backpropDropOutIfPresent(result));
  }

  private INDArray fusedBackward(INDArray byOutput, Fused.Results results) {
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      return fused.backward(saved, byOutput, gradients(), results);
    }
  }

  /** Where the gradients of the parameters go; DL4J has no table where there are none. */
  private Map<String, INDArray> gradients() {
    return gradTable == null ? Map.of() : gradTable;
  }

  private void forwardAgain() {
    if (isFused()) {
      fusedForward(true, results(LayerWorkspaceMgr.noWorkspaces(), ArrayType.ACTIVATIONS));
    } else {
      forward(true);
    }
  }

  @Override
  public void setParam(String key, INDArray val) {
    INDArray current = paramTable.get(key);
    if (current == null) {
      throw new IllegalArgumentException(
          form().describe() + ": expected a parameter of " + paramTable.keySet() + ", got " + key);
    }
    if (!Arrays.equals(current.shape(), val.shape())) {
      throw new IllegalArgumentException(
          form().describe()
              + ": expected "
              + key
              + " of shape "
              + Arrays.toString(current.shape())
              + ", got "
              + Arrays.toString(val.shape()));
    }
    form().validateParams(Map.of(key, val));
    current.assign(val);
  }

  @Override
  public Pair<INDArray, MaskState> feedForwardMaskArray(
      INDArray maskArray, MaskState currentMaskState, int minibatchSize) {
    if (maskArray != null) {
      throw new DL4JInvalidInputException(
          form().describe()
              + ": expected input without a mask, got a mask of shape "
              + Arrays.toString(maskArray.shape()));
    }
    return super.feedForwardMaskArray(null, currentMaskState, minibatchSize);
  }

  @Override
  public void clear() {
    super.clear();
    saved = null;
  }

  @Override
  public Layer clone() {
    NeuralNetConfiguration copy = conf.clone();
    INDArray view = params == null ? null : params.dup();
    return copy.getLayer().instantiate(copy, null, index, view, false, dataType);
  }
}
