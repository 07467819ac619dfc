/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.radial;

import static io.github.spd4j.internal.backend.MatrixStack.byImage;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/** {@link Radial} over an {@link Algebra}, a whole batch at a time. */
final class RadialBatch implements Radial {

  private static final String CENTRED = "centred";
  private static final String SQUARED = "squared distances";
  private static final String KERNEL = "kernel";
  private static final String INVERSE = "inverse sigma";
  private static final String SLOPE = "slope of sigma";
  private static final String SHRINKING = "shrinking";
  private static final String NORMS = "norms";

  private final Exponent exponent;
  private final Sigma sigma;
  private final Algebra algebra;

  /** C ones, one below the other: a constant of the size at hand. */
  private INDArray ones;

  /** −1/2. */
  private INDArray minusHalf;

  RadialBatch(Exponent exponent, Sigma sigma, Algebra algebra) {
    this.exponent = exponent;
    this.sigma = sigma;
    this.algebra = algebra;
  }

  @Override
  public void forward(INDArray maps, double scale, INDArray kernel, ForwardPass saved) {
    long channels = maps.size(1);
    DataType type = maps.dataType();
    if (ones == null || ones.length() != channels || ones.dataType() != type) {
      ones = Nd4j.ones(type, channels, 1);
      minusHalf = Nd4j.valueArrayOf(new long[] {1}, -0.5, type);
    }
    INDArray sums = squaredDistances(maps, saved);
    INDArray norms = saved.scratch().array(type, NORMS, maps.size(0), channels);
    INDArray shrinking = null;
    // A few numbers are read, also for NaN, which is not above anything. A sum is at most the
    // norm times the root of the count.
    double most = Math.sqrt(algebra.squaredNorm(norms, 1) * norms.length());
    if (!(most <= NumericPolicy.largeSquare(type))) {
      shrinking = saved.keep(SHRINKING, shrinking(maps));
      INDArray shrunk = Nd4j.createUninitialized(type, maps.shape(), 'c');
      algebra.scaleRows(byImage(maps), shrinking, byImage(shrunk));
      sums = squaredDistances(shrunk, saved);
    }
    INDArray entries = saved.get(KERNEL);
    if (needsDistances()) {
      saved.keep(type, SQUARED, entries.shape()).assign(entries);
    }
    saved.keep(SLOPE, scale * (sigma.isFixed() ? 0 : sigma.meanDistanceSlope(channels)));
    INDArray inverseSquares = inverseSquares(sums, scale, shrinking, saved);
    switch (exponent) {
      case RBF:
        algebra.exponentials(entries, minusHalf(inverseSquares, saved));
        break;
      case LAPLACIAN:
        Transforms.sqrt(entries, false);
        algebra.exponentials(entries, Transforms.sqrt(inverseSquares, true).negi());
        break;
      default:
        throw exponent.unknown();
    }
    algebra.copy(entries, kernel);
  }

  /** Keeps D in the place of K; returns the sums of the distances by rows [N, C]. */
  private INDArray squaredDistances(INDArray maps, ForwardPass saved) {
    long images = maps.size(0);
    long channels = maps.size(1);
    DataType type = maps.dataType();
    MatrixStack rows = MatrixStack.of(centre(maps, saved));
    INDArray entries = saved.keep(type, KERNEL, images, channels, channels);
    algebra.multiply(1, rows, rows.transpose(), 0, MatrixStack.of(entries), (int) images);
    INDArray norms = saved.scratch().array(type, NORMS, images, channels);
    INDArray sums = saved.scratch().array(type, "sums", images, channels);
    double kept = 1 - NumericPolicy.distanceRounding(type, maps.size(2));
    algebra.squaredDistances(entries, kept, norms, sums);
    return sums;
  }

  /** What the maps of each image are multiplied by [N, 1]. */
  private static INDArray shrinking(INDArray maps) {
    int images = (int) maps.size(0);
    double[] factors = new double[images];
    for (int i = 0; i < images; i++) {
      INDArray image = maps.slice(i);
      if (!Matrices.isFinite(image)) {
        throw Radial.notFinite(i);
      }
      factors[i] = NumericPolicy.shrinking(image.amaxNumber().doubleValue());
    }
    return Nd4j.createFromArray(factors).castTo(maps.dataType()).reshape(images, 1);
  }

  private boolean needsDistances() {
    return exponent == Exponent.LAPLACIAN || sigma.isDifferentiated();
  }

  /** F without the mean of its maps, which changes no distance. */
  private INDArray centre(INDArray maps, ForwardPass saved) {
    INDArray centred = saved.keep(maps.dataType(), CENTRED, maps.shape());
    algebra.copy(maps, centred);
    int images = (int) maps.size(0);
    MatrixStack target = MatrixStack.of(centred);
    INDArray mean = saved.scratch().array(maps.dataType(), "mean", images, 1, maps.size(2));
    MatrixStack column = MatrixStack.of(ones);
    double share = 1.0 / maps.size(1);
    algebra.multiply(share, column.transpose(), target, 0, MatrixStack.of(mean), images);
    algebra.multiply(-1, column, MatrixStack.of(mean), 1, target, images);
    return centred;
  }

  /** 1/σ² [N], and 0 where σ is not above its floor. */
  private INDArray inverseSquares(
      INDArray sums, double scale, INDArray shrinking, ForwardPass saved) {
    INDArray result = saved.keep(sums.dataType(), INVERSE, sums.size(0), 1);
    if (sigma.isFixed() && shrinking == null) {
      double inverse = sigma.inverse(0, sums.size(1), scale, 1);
      return result.assign(inverse * inverse);
    }
    if (sigma.isFixed()) {
      for (long i = 0; i < sums.size(0); i++) {
        double inverse = sigma.inverse(0, sums.size(1), scale, shrinking.getDouble(i, 0));
        result.putScalar(i, 0, inverse * inverse);
      }
      return result;
    }
    double slope = scale * sigma.meanDistanceSlope(sums.size(1)); // σ by the sum of distances
    algebra.multiply(1, MatrixStack.of(sums), MatrixStack.of(ones), 0, MatrixStack.of(result), 1);
    algebra.inverseSquares(result, 1 / (slope * slope), NumericPolicy.SIGMA_FLOOR / slope);
    return result;
  }

  @Override
  public void backward(
      INDArray gradient, INDArray mapsGradient, INDArray thetaGradient, ForwardPass saved) {
    INDArray kernel = saved.get(KERNEL);
    INDArray centred = saved.get(CENTRED);
    long images = kernel.size(0);
    long channels = kernel.size(1);
    INDArray byDistance = byDistance(kernel.muli(gradient), thetaGradient, saved);
    INDArray both = saved.scratch().array(kernel.dataType(), "both", kernel.shape());
    algebra.addTransposed(byDistance, 1, both);
    INDArray sums = rowSums(both.reshape(images * channels, channels), saved);
    INDArray target = mapsGradient.reshape(images * channels, centred.size(2));
    algebra.scaleRows(centred.reshape(target.shape()), sums, target);
    algebra.multiply(
        -2,
        MatrixStack.of(both),
        MatrixStack.of(centred),
        2,
        MatrixStack.of(mapsGradient),
        (int) images);
    if (thetaGradient != null && !sigma.isDifferentiated()) {
      INDArray products = rowSums(centred.muli(mapsGradient).reshape(-1, channels), saved);
      thetaGradient.assign(products.sum(true, 0, 1).negi());
    }
    if (saved.get(SHRINKING) != null) { // the gradient so far is that of the shrunk maps
      scaleImages(mapsGradient, saved.get(SHRINKING));
    }
  }

  /** B, in the place of A. */
  private INDArray byDistance(INDArray byExponent, INDArray thetaGradient, ForwardPass saved) {
    DataType type = byExponent.dataType();
    INDArray inverseSquare = saved.get(INVERSE);
    INDArray halfInverses = null; // 1/2d, and 0 where d is 0
    if (needsDistances()) {
      halfInverses = saved.scratch().array(type, "half inverses", byExponent.shape());
      halfInverses.assign(saved.get(SQUARED));
      algebra.inverseRoots(halfInverses, 0.5, 0);
    }
    INDArray bySigma = null; // ∂L/∂σ · ∂σ/∂d [N]
    if (sigma.isDifferentiated()) {
      INDArray bySlope = sigmaGradient(byExponent, inverseSquare, saved);
      if (thetaGradient != null) {
        thetaGradient.assign(bySlope.sum(true, 0, 1));
      }
      bySigma = bySlope.mul(Transforms.sqrt(inverseSquare, true)).muli(saved.number(SLOPE));
    }
    switch (exponent) {
      case RBF:
        scaleImages(byExponent, minusHalf(inverseSquare, saved));
        break;
      case LAPLACIAN:
        byExponent.muli(halfInverses);
        scaleImages(byExponent, Transforms.sqrt(inverseSquare, true).negi());
        break;
      default:
        throw exponent.unknown();
    }
    if (bySigma != null) {
      scaleImages(halfInverses, bySigma);
      algebra.add(1, halfInverses, byExponent);
    }
    return byExponent;
  }

  /** {@code σ ∂L/∂σ = ⟨A, σ ∂e/∂σ⟩} of each image, [N, 1]. */
  private INDArray sigmaGradient(INDArray byExponent, INDArray inverseSquare, ForwardPass saved) {
    DataType type = byExponent.dataType();
    INDArray squared = saved.get(SQUARED);
    INDArray products = saved.scratch().array(type, "products", byExponent.size(0), 1);
    switch (exponent) {
      case RBF:
        algebra.rowProducts(1, byImage(byExponent), byImage(squared), products);
        return products.muli(inverseSquare);
      case LAPLACIAN:
        INDArray distances = Transforms.sqrt(squared, true);
        algebra.rowProducts(1, byImage(byExponent), byImage(distances), products);
        return products.muli(Transforms.sqrt(inverseSquare, true));
      default:
        throw exponent.unknown();
    }
  }

  /** {@code −x/2} of numbers [N, 1], in memory that is used again. */
  private INDArray minusHalf(INDArray numbers, ForwardPass saved) {
    INDArray result = saved.scratch().array(numbers.dataType(), "minus half", numbers.shape());
    algebra.scaleColumns(numbers, minusHalf, result);
    return result;
  }

  private void scaleImages(INDArray stack, INDArray factors) {
    algebra.scaleRows(byImage(stack), factors, byImage(stack));
  }

  private INDArray rowSums(INDArray matrix, ForwardPass saved) {
    INDArray sums = saved.scratch().array(matrix.dataType(), "row sums", matrix.size(0), 1);
    algebra.multiply(1, MatrixStack.of(matrix), MatrixStack.of(ones), 0, MatrixStack.of(sums), 1);
    return sums;
  }
}
