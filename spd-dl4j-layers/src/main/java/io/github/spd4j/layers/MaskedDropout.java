/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Dropout that multiplies its input by a mask. DL4J calls it while training alone: at test time
 * nothing is dropped.
 */
abstract class MaskedDropout implements IDropout {

  private static final long serialVersionUID = 1L;

  private transient INDArray mask;

  /** Draws numbers from 0 to 1 for an input: one for each map or row. */
  abstract INDArray draw(INDArray input);

  /**
   * The mask for an input and the numbers drawn for it; input and mask have the same rank, and the
   * mask is spread where it is 1.
   */
  abstract INDArray maskOf(INDArray input, INDArray drawn);

  /** What is added to the masked input. */
  void addTo(INDArray masked) {
    // nothing
  }

  /** The mask of the last pass, of the type of its input. */
  final INDArray mask() {
    if (mask == null) {
      throw new IllegalStateException(
          this + ": expected a forward pass for training before the backward pass, got none");
    }
    return mask;
  }

  @Override
  public final INDArray applyDropout(
      INDArray input, INDArray result, int iteration, int epoch, LayerWorkspaceMgr workspaceMgr) {
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      return apply(input, draw(input), result);
    }
  }

  /** With numbers that are given, as {@link #draw} would draw them. */
  final INDArray apply(INDArray input, INDArray drawn, INDArray result) {
    mask = maskOf(input, drawn).castTo(input.dataType());
    result.assign(input.mul(mask));
    addTo(result);
    return result;
  }

  @Override
  public final INDArray backprop(
      INDArray gradientAtOutput, INDArray gradientAtInput, int iteration, int epoch) {
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      return gradientAtInput.assign(gradientAtOutput.mul(mask()));
    }
  }

  @Override
  public final void clear() {
    mask = null;
  }

  @Override
  public abstract MaskedDropout clone();
}
