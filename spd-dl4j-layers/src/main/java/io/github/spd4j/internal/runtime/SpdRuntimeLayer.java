/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.runtime;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import java.util.Arrays;
import java.util.Map;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.MaskState;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.layers.AbstractLayer;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Executes a layer: what DL4J asks of it, around the two passes on arrays that each layer
 * configuration has in a subclass of its own.
 *
 * <p>The forward pass keeps what the backward pass needs in a {@link ForwardPass}, so that nothing
 * is computed twice. What it keeps is its own: the output that other layers see, and may change, is
 * another array.
 */
public abstract class SpdRuntimeLayer
    extends AbstractLayer<org.deeplearning4j.nn.conf.layers.Layer> {

  private static final long serialVersionUID = 1L;

  private final transient ForwardPass saved = new ForwardPass();
  private final transient Backend backend;
  private final transient Algebra algebra;
  private transient LayerRules rules;
  private transient boolean wasTrained;
  private transient boolean isInference;

  /** What the mask leaves of the input, and {@link #input} where only that is left in it. */
  private transient Counted counted = Counted.ALL;

  private transient INDArray left;

  private INDArray params;
  private INDArray gradients;
  private Map<String, INDArray> paramTable;
  private Map<String, INDArray> gradTable;

  /**
   * A runtime layer without parameters yet.
   *
   * @param conf the configuration
   * @param dataType the network's data type
   * @param backend what the layer is computed with
   */
  protected SpdRuntimeLayer(NeuralNetConfiguration conf, DataType dataType, Backend backend) {
    super(conf, dataType);
    this.backend = backend;
    this.algebra = backend.algebra();
  }

  /**
   * Takes the rules of the layer, before anything else is asked.
   *
   * @param layer the rules
   */
  public final void follow(LayerRules layer) {
    this.rules = layer;
  }

  final LayerRules layer() {
    return rules;
  }

  /**
   * The forward pass.
   *
   * @param input the layer's input, not to be changed
   * @param saved has the parameters, and takes what the backward pass needs
   * @param results makes the array for the output
   * @return the output
   */
  protected abstract INDArray forward(INDArray input, ForwardPass saved, Results results);

  /**
   * The backward pass of the last forward pass for training.
   *
   * @param gradient the gradient with respect to the output, not to be changed
   * @param paramGradients where to write the gradients with respect to the parameters, by name
   * @param saved the input, the parameters, and what the forward pass kept
   * @param results makes the array for the result
   * @return the gradient with respect to the input, in the shape of the input
   */
  protected abstract INDArray backward(
      INDArray gradient, Map<String, INDArray> paramGradients, ForwardPass saved, Results results);

  /**
   * Whether the passes check the parameters themselves: the backward pass does so in training, and
   * the forward pass otherwise. If they do not, parameters are checked before each forward pass; on
   * a GPU that check waits for the card.
   *
   * @return false unless a class says otherwise
   */
  protected boolean checksParams() {
    return false;
  }

  /**
   * Whether the arrays that the backward pass makes may lie in DL4J's workspace, which ends with
   * it. New memory for each step would take longer.
   *
   * @return false unless a class says otherwise: most keep memory from one step to the next
   */
  protected boolean isBackwardInWorkspace() {
    return false;
  }

  @Override
  public INDArray activate(boolean training, LayerWorkspaceMgr workspaceMgr) {
    try (Backend.Pass pass = backend.pass()) {
      return checkedRun(training, workspaceMgr);
    }
  }

  private INDArray checkedRun(boolean training, LayerWorkspaceMgr workspaceMgr) {
    assertInputSet(false);
    if (counted == Counted.ALL || input != left) {
      layer().validateInput(input);
      leaveOut(workspaceMgr);
    }
    if (!checksParams()) {
      layer().validateParams(paramTable);
    }
    boolean wasChecked = training && wasTrained && algebra.isOnDevice();
    Runnable check = layer().validateNumbers(input, algebra, wasChecked);
    wasTrained |= training;
    isInference = !training;
    applyDropOutIfNecessary(training, workspaceMgr);
    if (input != left) {
      counted.restore(input);
    }
    left = input;
    try {
      return run(training, workspaceMgr);
    } finally {
      check.run(); // what it says of the input explains what the pass may have stumbled over
    }
  }

  /** Leaves what does not count out of the input. DL4J checks where the rest lies. */
  private void leaveOut(LayerWorkspaceMgr workspaceMgr) {
    input = input.castTo(dataType);
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      counted = maskArray == null ? Counted.ALL : layer().counted(maskArray, input);
      input = counted.of(input, results(workspaceMgr, ArrayType.INPUT));
    }
    left = input;
  }

  private INDArray run(boolean training, LayerWorkspaceMgr workspaceMgr) {
    algebra.relieve();
    saved.begin(input, counted.mask(), paramTable, training, isInference);
    Results results = results(workspaceMgr, ArrayType.ACTIVATIONS);
    try (Backend.Pass pass = backend.pass();
        MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      return counted.spread(forward(input, saved, counted.within(results, dataType)), results);
    }
  }

  /** DL4J leaves the workspace of a result current; what comes next is not to lie in it. */
  private Results results(LayerWorkspaceMgr workspaceMgr, ArrayType type) {
    return shape -> {
      MemoryWorkspace before = Nd4j.getMemoryManager().getCurrentWorkspace();
      INDArray result = workspaceMgr.createUninitialized(type, dataType, shape, 'c');
      Nd4j.getMemoryManager().setCurrentWorkspace(before);
      return result;
    };
  }

  @Override
  public Pair<Gradient, INDArray> backpropGradient(
      INDArray epsilon, LayerWorkspaceMgr workspaceMgr) {
    assertInputSet(true);
    layer().validateTraining(conf.getOptimizationAlgo());
    if (input != left) {
      leaveOut(LayerWorkspaceMgr.noWorkspaces());
    }
    if (!saved.isOf(input)) {
      run(true, LayerWorkspaceMgr.noWorkspaces());
    }
    INDArray byInput;
    Results results = results(workspaceMgr, ArrayType.ACTIVATION_GRAD);
    // DL4J has no table where there are no parameters.
    Map<String, INDArray> byParams = gradTable == null ? Map.of() : gradTable;
    // NoOp alone would not do: DL4J subtracts the raw gradient then.
    byParams.forEach((name, gradient) -> zeroUnlessLearnt(name, gradient));
    try (Backend.Pass pass = backend.pass();
        MemoryWorkspace none =
            isBackwardInWorkspace() ? null : Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      INDArray byOutput = counted.ofOutput(epsilon.castTo(dataType));
      byInput = backward(byOutput, byParams, saved, counted.within(results, dataType));
    } finally {
      saved.end(); // the pass may have written over what was saved
    }
    Gradient gradient = new DefaultGradient();
    byParams.forEach(gradient.gradientForVariable()::put);
    return new Pair<>(gradient, counted.spread(backpropDropOutIfPresent(byInput), results));
  }

  private void zeroUnlessLearnt(String name, INDArray gradient) {
    if (!layer().isLearnt(name)) {
      gradient.assign(0);
    }
  }

  @Override
  public boolean isPretrainLayer() {
    return false;
  }

  @Override
  public void clearNoiseWeightParams() {
    // there is no weight noise
  }

  @Override
  public INDArray params() {
    return params;
  }

  @Override
  public long numParams() {
    return params == null ? 0 : params.length();
  }

  @Override
  public INDArray getParam(String param) {
    return paramTable.get(param);
  }

  @Override
  public Map<String, INDArray> paramTable(boolean backpropParamsOnly) {
    return paramTable;
  }

  @Override
  public void setParamsViewArray(INDArray params) {
    this.params = params;
  }

  @Override
  public void setParams(INDArray params) {
    if (numParams() != (params == null ? 0 : params.length())) {
      throw new IllegalArgumentException(
          String.format(
              "%s: expected %s parameters, got %s; if the layer before it was changed, as by "
                  + "nOutReplace, this layer and those behind it must be removed and added anew",
              layer().describe(), numParams(), params == null ? 0 : params.length()));
    }
    if (params != null) {
      this.params.assign(params.reshape(this.params.shape()));
    }
  }

  @Override
  public void setParamTable(Map<String, INDArray> paramTable) {
    if (this.paramTable == null) {
      this.paramTable = paramTable;
    } else {
      paramTable.forEach(this::setParam);
    }
  }

  @Override
  public INDArray getGradientsViewArray() {
    return gradients;
  }

  @Override
  public void setBackpropGradientsViewArray(INDArray gradients) {
    this.gradients = gradients;
    this.gradTable = conf.getLayer().initializer().getGradientsFromFlattened(conf, gradients);
  }

  @Override
  public void setParam(String key, INDArray val) {
    INDArray current = paramTable.get(key);
    if (current == null) {
      throw new IllegalArgumentException(
          layer().describe() + ": expected a parameter of " + paramTable.keySet() + ", got " + key);
    }
    if (!Arrays.equals(current.shape(), val.shape())) {
      throw new IllegalArgumentException(
          String.format(
              "%s: expected %s of shape %s, got %s",
              layer().describe(),
              key,
              Arrays.toString(current.shape()),
              Arrays.toString(val.shape())));
    }
    layer().validateParams(Map.of(key, val));
    current.assign(val);
  }

  @Override
  public Pair<INDArray, MaskState> feedForwardMaskArray(
      INDArray maskArray, MaskState currentMaskState, int minibatchSize) {
    INDArray behind = maskArray == null ? null : layer().maskBehind(maskArray);
    super.feedForwardMaskArray(maskArray, currentMaskState, minibatchSize);
    return new Pair<>(behind, currentMaskState);
  }

  @Override
  public void clear() {
    super.clear();
    saved.end();
    left = null;
  }

  @Override
  public Layer clone() {
    NeuralNetConfiguration copy = conf.clone();
    INDArray view = params == null ? null : params.dup();
    return copy.getLayer().instantiate(copy, null, index, view, false, dataType);
  }
}
