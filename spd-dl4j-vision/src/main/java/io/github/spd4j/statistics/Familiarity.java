/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.SymmetricEigen;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.commons.lang3.Validate;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * How far a vector lies from all classes that are known: the Mahalanobis distance from the nearest
 * mean, with the covariance that the classes share (Lee et al., A Simple Unified Framework for
 * Detecting Out-of-Distribution Samples, 2018, equation 1).
 *
 * <p>Vectors have length 1 first, and then mean 0 and variance 1 in each entry. The covariance is
 * shrunk, Σ = 0.7 S + 0.3 tr(S)/d I, and of S no more than 64 directions are kept; the others have
 * their mean variance. So it is a few hundred kilobytes for some hundred entries.
 */
public final class Familiarity {

  private static final double SHRINKAGE = 0.3;
  private static final int MOST_AXES = 64;

  /** Of the mean one: an entry that hardly changes in the examples tells little if it does. */
  private static final double LEAST_DEVIATION = 0.01;

  /** Of entries whose variance is 1 over all classes. */
  private static final double LEAST_VARIANCE = 1e-6;

  /** The most entries of a vector; a covariance of more would take too long. */
  public static final int LONGEST = 4096;

  private final float[] mean;
  private final float[] inverseDeviation;
  private final float rest; // inverse variance of all directions but the axes
  private final float[][] axes; // times the root of what their inverse variance is less
  private final float[][] centres;
  private final double[][] projected;

  private Familiarity(
      float[] mean, float[] inverseDeviation, float rest, float[][] axes, float[][] centres) {
    this.mean = mean;
    this.inverseDeviation = inverseDeviation;
    this.rest = rest;
    this.axes = axes;
    this.centres = centres;
    this.projected = Arrays.stream(centres).map(this::project).toArray(double[][]::new);
  }

  /**
   * The familiarity with some examples.
   *
   * @param vectors an example a row, [n, d] with d of at most {@link #LONGEST}; not changed
   * @param labels the class of each
   * @return it
   */
  public static Familiarity fit(INDArray vectors, int... labels) {
    Arguments.matrix(vectors, "vectors");
    Objects.requireNonNull(labels, "labels");
    Validate.isTrue(
        vectors.size(0) == labels.length && labels.length > 1,
        "labels: expected one for each of two or more vectors [n, d], got %s for %s",
        labels.length,
        Arrays.toString(vectors.shape()));
    int d = (int) vectors.size(1);
    Validate.isTrue(d <= LONGEST, "vectors: expected at most %s entries, got %s", LONGEST, d);
    Matrices.requireFinite(vectors, "vectors");
    INDArray rows = vectors.castTo(DataType.DOUBLE).dup('c');
    rows.diviColumnVector(rows.norm2(true, 1).addi(Double.MIN_NORMAL));
    INDArray mean = rows.mean(0);
    rows.subiRowVector(mean);
    INDArray inverse = rows.mul(rows).mean(0);
    inverse = Nd4j.math().sqrt(inverse);
    inverse.addi(LEAST_DEVIATION * inverse.meanNumber().doubleValue() + Float.MIN_NORMAL).rdivi(1);
    rows.muliRowVector(inverse);
    int[] known = Arrays.stream(labels).sorted().distinct().toArray();
    float[][] centres = new float[known.length][];
    for (int k = 0; k < known.length; k++) {
      int label = known[k];
      int[] own = IntStream.range(0, labels.length).filter(i -> labels[i] == label).toArray();
      INDArray centre = rows.getRows(own).mean(0);
      centres[k] = floats(centre);
      for (int i : own) {
        rows.getRow(i).subi(centre);
      }
    }
    return of(
        floats(mean), floats(inverse), rows.transpose().mmul(rows).divi(labels.length), centres);
  }

  private static Familiarity of(
      float[] mean, float[] inverse, INDArray covariance, float[][] centres) {
    int d = mean.length;
    SymmetricEigen eigen = SymmetricEigen.of(covariance);
    double[] variances = eigen.values().toDoubleVector(); // the smallest first
    double all = Arrays.stream(variances).sum();
    double floor = SHRINKAGE * all / d + LEAST_VARIANCE;
    int count = Math.min(MOST_AXES, d - 1);
    double kept = Arrays.stream(variances).skip(d - count).sum();
    double rest = 1 / ((1 - SHRINKAGE) * Math.max(0, (all - kept) / (d - count)) + floor);
    float[][] axes = new float[count][];
    for (int a = 0; a < count; a++) {
      int column = d - 1 - a;
      double less = rest - 1 / ((1 - SHRINKAGE) * Math.max(0, variances[column]) + floor);
      axes[a] = floats(eigen.vectors().getColumn(column).mul(Math.sqrt(Math.max(0, less))));
    }
    return new Familiarity(mean, inverse, (float) rest, axes, centres);
  }

  private static float[] floats(INDArray array) {
    return array.castTo(DataType.FLOAT).dup('c').toFloatVector();
  }

  private double[] project(float... standard) {
    double[] values = new double[axes.length];
    for (int a = 0; a < axes.length; a++) {
      for (int i = 0; i < standard.length; i++) {
        values[a] += (double) axes[a][i] * standard[i];
      }
    }
    return values;
  }

  /**
   * How many entries a vector has.
   *
   * @return d
   */
  public int length() {
    return mean.length;
  }

  /**
   * How far a vector lies from the nearest class.
   *
   * @param vector d entries, not changed
   * @return the squared Mahalanobis distance for each entry: about 1 for what is known
   */
  public double distance(double... vector) {
    Objects.requireNonNull(vector, "vector");
    Validate.isTrue(
        vector.length == mean.length,
        "vector: expected %s entries, got %s",
        mean.length,
        vector.length);
    for (double entry : vector) {
      Validate.isTrue(Double.isFinite(entry), "vector: expected finite numbers, got %s", entry);
    }
    double norm = Math.sqrt(Arrays.stream(vector).map(x -> x * x).sum()) + Double.MIN_NORMAL;
    float[] standard = new float[vector.length];
    for (int i = 0; i < vector.length; i++) {
      standard[i] = (float) ((vector[i] / norm - mean[i]) * inverseDeviation[i]);
    }
    double[] own = project(standard);
    double least = Double.POSITIVE_INFINITY;
    for (int k = 0; k < centres.length; k++) {
      double sum = 0;
      for (int i = 0; i < standard.length; i++) {
        double difference = (double) standard[i] - centres[k][i];
        sum += rest * difference * difference;
      }
      for (int a = 0; a < own.length; a++) {
        double difference = own[a] - projected[k][a];
        sum -= difference * difference;
      }
      least = Math.min(least, sum);
    }
    return least / vector.length;
  }

  /**
   * All that is known, for a file.
   *
   * @return what {@link #of(byte[])} reads
   */
  public byte[] bytes() {
    ByteBuffer bytes = ByteBuffer.allocate(size(mean.length, axes.length, centres.length));
    bytes.putInt(mean.length).putInt(axes.length).putInt(centres.length).putFloat(rest);
    put(bytes, mean, inverseDeviation);
    put(bytes, axes);
    put(bytes, centres);
    return bytes.array();
  }

  private static int size(long length, long axes, long centres) {
    return Math.toIntExact(16 + 4 * length * (2 + axes + centres));
  }

  private static void put(ByteBuffer bytes, float[]... rows) {
    for (float[] row : rows) {
      bytes.asFloatBuffer().put(row);
      bytes.position(bytes.position() + 4 * row.length);
    }
  }

  /**
   * Reads what {@link #bytes} gave.
   *
   * @param bytes from a file, which need not be trusted
   * @return it
   * @throws IllegalArgumentException if that is something else
   */
  public static Familiarity of(byte[] bytes) {
    Objects.requireNonNull(bytes, "bytes");
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    Validate.isTrue(
        bytes.length > 16, "bytes: expected distances of classes, got %s bytes", bytes.length);
    int length = buffer.getInt();
    int axes = buffer.getInt();
    int centres = buffer.getInt();
    float rest = buffer.getFloat();
    boolean fits =
        length > 0
            && length <= LONGEST
            && axes >= 0
            && axes <= MOST_AXES
            && centres > 0
            && centres < bytes.length
            && 16 + 4L * length * (2L + axes + centres) == bytes.length;
    Validate.isTrue(fits, "bytes: expected distances of classes, got %s other bytes", bytes.length);
    float[][] rows = new float[2 + axes + centres][length];
    for (float[] row : rows) {
      buffer.asFloatBuffer().get(row);
      buffer.position(buffer.position() + 4 * length);
      for (float value : row) {
        Validate.isTrue(Float.isFinite(value), "bytes: expected finite numbers, got %s", value);
      }
    }
    Validate.isTrue(Float.isFinite(rest), "bytes: expected finite numbers, got %s", rest);
    return new Familiarity(
        rows[0],
        rows[1],
        rest,
        Arrays.copyOfRange(rows, 2, 2 + axes),
        Arrays.copyOfRange(rows, 2 + axes, rows.length));
  }
}
