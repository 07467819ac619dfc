/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import io.github.spd4j.linalg.Matrices;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** A batch of examples for a layer, in DOUBLE: a new array each time, always with equal numbers. */
public final class Examples {

  private static final long SEED = 1;

  private final String name;
  private final Supplier<INDArray> array;
  private final CNN2DFormat format;
  private final double cancelling;
  private long[] shape;

  private Examples(String name, Supplier<INDArray> array, CNN2DFormat format, double cancelling) {
    this.name = name;
    this.array = array;
    this.format = format;
    this.cancelling = cancelling;
  }

  private static Examples of(String name, Supplier<INDArray> array) {
    return new Examples(name, array, CNN2DFormat.NCHW, 0);
  }

  /** Feature maps [N, C, H, W], normally distributed. */
  public static Examples maps(long images, long channels, long height, long width) {
    return of("maps", () -> Nd4j.randn(DataType.DOUBLE, images, channels, height, width));
  }

  /** Feature maps [N, C, H, W] that are all the same. */
  public static Examples equalMaps(long images, long channels, long height, long width) {
    return of("equal maps", () -> Nd4j.ones(DataType.DOUBLE, images, channels, height, width));
  }

  /** Matrices [N, 1, C, C] whose eigenvalues have both signs. */
  public static Examples symmetric(long examples, long size) {
    return of("symmetric", () -> symmetricMatrices(examples, size));
  }

  /** Matrices [N, 1, C, C], positive definite. */
  public static Examples positive(long examples, long size) {
    return of("positive", () -> positiveMatrices(examples, size));
  }

  /** Matrices [N, 1, C, C] of zeros. */
  public static Examples zeros(long examples, long size) {
    return of("zeros", () -> Nd4j.zeros(DataType.DOUBLE, examples, 1, size, size));
  }

  /** Matrices [3, 1, 5, 5]: with different eigenvalues, with equal ones, and with some of both. */
  public static Examples spectra() {
    return of(
        "spectra",
        () -> {
          INDArray factors = Nd4j.randn(DataType.DOUBLE, 3, 5, 8).divi(3);
          INDArray matrices = Matrices.transposeSecond(factors, factors);
          INDArray eye = Nd4j.eye(5).castTo(DataType.DOUBLE);
          matrices.slice(1).assign(eye);
          matrices.slice(2).assign(eye.mul(2));
          matrices.slice(2).putScalar(0, 1, 0.1).putScalar(1, 0, 0.1);
          return matrices.reshape(3, 1, 5, 5);
        });
  }

  /** These examples, changed. */
  public Examples with(String change, UnaryOperator<INDArray> operator) {
    return new Examples(name + " " + change, () -> operator.apply(array()), format, cancelling);
  }

  /** These maps as a view [N, C, W, H] whose numbers lie in another order. */
  public Examples seenFromTheSide() {
    return with("from the side", maps -> maps.permute(0, 1, 3, 2));
  }

  /** These maps as [N, H, W, C]. */
  public Examples channelsLast() {
    return new Examples(
        name + " channels last",
        () -> array().permute(0, 2, 3, 1).dup('c'),
        CNN2DFormat.NHWC,
        cancelling);
  }

  /** The same, where terms of this length cancel in the gradient. */
  public Examples cancelling(double length) {
    return new Examples(name, array, format, length);
  }

  /** Another number of the same examples. */
  public Examples batchOf(int examples) {
    return with(
        "in a batch of " + examples,
        batch -> {
          INDArray[] parts = new INDArray[examples];
          for (int i = 0; i < examples; i++) {
            INDArray part = batch.slice(i % batch.size(0)).dup('c').muli(1 + 0.1 * i);
            long[] shape = batch.shape().clone();
            shape[0] = 1;
            parts[i] = part.reshape(shape);
          }
          return Nd4j.concat(0, parts);
        });
  }

  /** The examples. */
  public INDArray array() {
    Nd4j.getRandom().setSeed(SEED);
    return array.get();
  }

  /** The length of terms that cancel in the gradient by these examples; 0 if none do. */
  public double cancelling() {
    return cancelling;
  }

  /** What a network is told of these examples. */
  public InputType type() {
    long[] shape = shape();
    return format == CNN2DFormat.NCHW
        ? InputType.convolutional(shape[2], shape[3], shape[1], format)
        : InputType.convolutional(shape[1], shape[2], shape[3], format);
  }

  private long[] shape() {
    if (shape == null) {
      shape = array().shape();
    }
    return shape;
  }

  @Override
  public String toString() {
    return name + " " + Arrays.toString(shape());
  }

  /** Symmetric matrices [N, 1, C, C] drawn anew. */
  public static INDArray symmetricMatrices(long examples, long size) {
    INDArray any = Nd4j.randn(DataType.DOUBLE, examples, size, size);
    return Matrices.symmetricPart(any).reshape(examples, 1, size, size);
  }

  /** Positive definite matrices [N, 1, C, C] drawn anew. */
  public static INDArray positiveMatrices(long examples, long size) {
    INDArray any = Nd4j.randn(DataType.DOUBLE, examples, size, 2 * size);
    return Matrices.transposeSecond(any, any).reshape(examples, 1, size, size);
  }
}
