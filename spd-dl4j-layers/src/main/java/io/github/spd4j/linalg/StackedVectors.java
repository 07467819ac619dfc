/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.BooleanIndexing;
import org.nd4j.linalg.indexing.conditions.Conditions;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * {@link UpperTriangle} and {@link VectorNormalization} with triangles copied by a {@link
 * MatrixLibrary}, in arrays that are used again: on a GPU a new one costs more than what is
 * computed in it.
 */
public final class StackedVectors {

  private final UpperTriangle triangle;
  private final VectorNormalization normalization;
  private final MatrixLibrary library;
  private final Scratch scratch = new Scratch();

  /** u [N, length] of the last forward pass, or v without power normalisation. */
  private INDArray powered;

  /** √(|v| + φ²) of the last forward pass. */
  private INDArray root;

  /** scale/‖u‖ [N, 1] of the last forward pass. */
  private INDArray inverse;

  /** As many as a vector has numbers. */
  private INDArray ones;

  private INDArray weights;

  /** Matrices [N, n, n] with nothing below their diagonals. */
  private INDArray half;

  /**
   * The vectors of n×n matrices.
   *
   * @param n rows
   * @param normalization how they are normalised
   * @param library the library
   */
  public StackedVectors(int n, VectorNormalization normalization, MatrixLibrary library) {
    this.triangle = UpperTriangle.of(n);
    this.normalization = normalization;
    this.library = library;
  }

  /**
   * The number of rows of the matrices.
   *
   * @return n
   */
  public int size() {
    return triangle.size();
  }

  /**
   * The forward pass.
   *
   * @param matrices [N, n, n] in C order, not changed; only the upper triangle is read
   * @param vectors where [N, n(n+1)/2] go
   */
  public void forward(INDArray matrices, INDArray vectors) {
    DataType type = vectors.dataType();
    powered = scratch.array(type, "powered", vectors.shape());
    library.packTriangles(matrices, powered);
    library.scaleColumns(powered, triangle.forwardWeights(type));
    if (normalization.isPowerNormalization()) {
      double floor = normalization.getPowerFloor();
      root = scratch.array(type, "root", vectors.shape()).assign(powered);
      Transforms.sqrt(Transforms.abs(root, false).addi(floor * floor), false);
      powered.divi(vectors.assign(root).addi(floor));
    }
    vectors.assign(powered);
    if (normalization.isL2Normalization()) {
      INDArray squares = scratch.array(type, "along", vectors.shape()).assign(powered);
      inverse = inverseOrZero(Transforms.sqrt(rowSums(1, squares.muli(powered), "inverse"), false));
      library.scaleRows(vectors, inverse);
    } else if (normalization.getScale() != 1) {
      vectors.muli(normalization.getScale());
    }
  }

  /** scale/‖u‖, or 0 where the norm is below its floor. */
  private INDArray inverseOrZero(INDArray norm) {
    double scale = normalization.getScale();
    INDArray result = norm.rdivi(scale);
    BooleanIndexing.replaceWhere(
        result, 0, Conditions.greaterThanOrEqual(scale / NumericPolicy.NORM_FLOOR));
    return result;
  }

  /**
   * The backward pass of the last forward pass.
   *
   * @param gradient the gradient with respect to the vectors, not changed
   * @param byMatrices where the symmetric gradient with respect to the matrices [N, n, n] goes
   */
  public void backward(INDArray gradient, INDArray byMatrices) {
    DataType type = powered.dataType();
    double scale = normalization.getScale();
    INDArray g = scratch.array(type, "gradient", powered.shape()).assign(gradient);
    if (normalization.isL2Normalization()) {
      INDArray along = scratch.array(type, "along", powered.shape()).assign(powered).muli(g);
      INDArray onto = rowSums(1 / (scale * scale), along, "onto").muli(inverse).muli(inverse);
      library.scaleRows(along.assign(powered), onto);
      library.scaleRows(g.subi(along), inverse);
    } else if (scale != 1) {
      g.muli(scale);
    }
    if (normalization.isPowerNormalization()) {
      g.divi(root);
    }
    library.scaleColumns(g, spreadingWeights(type));
    library.unpackTriangles(g, upperTriangles(byMatrices));
    library.addTransposed(half, 1, byMatrices);
  }

  /**
   * Multiples of the sums of rows [N], by a product: on a GPU a reduction would be a fresh array,
   * which takes longer to get than this to compute.
   */
  private INDArray rowSums(double factor, INDArray rows, String name) {
    long length = rows.size(1);
    if (ones == null || ones.size(0) != length || ones.dataType() != rows.dataType()) {
      ones = Nd4j.ones(rows.dataType(), length, 1);
    }
    INDArray sums = scratch.array(rows.dataType(), name, rows.size(0), 1);
    library.multiply(
        factor, MatrixStack.of(rows), MatrixStack.of(ones), 0, MatrixStack.of(sums), 1);
    return sums;
  }

  /** For both triangles, with the factor 1/2 in the derivative of a root. */
  private INDArray spreadingWeights(DataType type) {
    if (weights == null || weights.dataType() != type) {
      double slope = normalization.isPowerNormalization() ? 0.5 : 1;
      weights = triangle.halfWeights(type).mul(slope);
    }
    return weights;
  }

  private INDArray upperTriangles(INDArray like) {
    if (half == null || !half.equalShapes(like) || half.dataType() != like.dataType()) {
      half = Nd4j.zeros(like.dataType(), like.shape());
    }
    return half;
  }
}
