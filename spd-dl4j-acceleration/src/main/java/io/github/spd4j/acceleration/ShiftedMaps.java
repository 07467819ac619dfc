/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.MatrixStack;
import java.util.HashMap;
import java.util.Map;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Images moved by some columns, in C order: what a tap beside the kernel's centre reads. They are
 * copied rather than read from another place on, because products are slow where matrices do not
 * begin at an address that is a multiple of 16.
 */
final class ShiftedMaps {

  private final INDArray unmoved;
  private final Algebra library;
  private final OnesAndZeros constants;
  private final LayerWorkspaceMgr workspaces;
  private final ArrayType kind;
  private final Map<Integer, INDArray> byShift = new HashMap<>();

  /**
   * The images.
   *
   * @param maps [N, C, H, W]; not changed
   * @param library what copies
   * @param constants for zeros
   * @param workspaces where copies are kept
   * @param kind what the copies are to the workspaces
   */
  ShiftedMaps(
      INDArray maps,
      Algebra library,
      OnesAndZeros constants,
      LayerWorkspaceMgr workspaces,
      ArrayType kind) {
    this.library = library;
    this.constants = constants;
    this.workspaces = workspaces;
    this.kind = kind;
    this.unmoved = MatrixStack.isInOrder(maps) ? maps : like(maps).assign(maps);
  }

  /**
   * The images as matrices, channels by places, with each place holding what is so many columns to
   * the right of it, and zero where the row ends.
   *
   * @param columns fewer than an image has; negative to the left
   */
  MatrixStack movedBy(int columns) {
    return asMatrices(byShift.computeIfAbsent(columns, this::moved));
  }

  private INDArray moved(int columns) {
    if (columns == 0) {
      return unmoved;
    }
    INDArray copy = like(unmoved);
    int by = Math.abs(columns);
    int length = Math.toIntExact(copy.length());
    int width = (int) copy.size(3);
    library.copy(unmoved, Math.max(0, columns), copy, Math.max(0, -columns), 1, length - by);
    INDArray zeros = constants.zeros(copy.dataType(), length / width);
    for (int i = 0; i < by; i++) {
      int edge = columns > 0 ? width - by + i : i;
      library.copy(zeros, 0, copy, edge, width, length / width);
    }
    return copy;
  }

  private INDArray like(INDArray array) {
    return workspaces.createUninitialized(kind, array.dataType(), array.shape(), 'c');
  }

  /** Images [N, C, H, W] in C order as matrices [C, H·W]. */
  static MatrixStack asMatrices(INDArray maps) {
    return MatrixStack.of(maps.reshape(maps.size(0), maps.size(1), maps.size(2) * maps.size(3)));
  }
}
