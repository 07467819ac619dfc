/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.manifold.Spd;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

@Tag("once")
class LedoitWolfKernelTest extends KernelContract {

  private double meanVariance;

  @Override
  Kernel kernel() {
    return new LedoitWolfKernel();
  }

  private static double covariance(double[] fi, double[] fj) {
    double meanI = Arrays.stream(fi).average().orElseThrow();
    double meanJ = Arrays.stream(fj).average().orElseThrow();
    double sum = 0;
    for (int p = 0; p < fi.length; p++) {
      sum += (fi[p] - meanI) * (fj[p] - meanJ);
    }
    return fi.length == 1 ? 0 : sum / (fi.length - 1);
  }

  /** The shrinkage, in the place of a bandwidth: the paper's b² and d², pixel by pixel. */
  @Override
  double sigmaByDefinition(double[][] maps) {
    int channels = maps.length;
    int pixels = maps[0].length;
    double[][] s = new double[channels][channels];
    double[] means = new double[channels];
    meanVariance = 0;
    for (int i = 0; i < channels; i++) {
      means[i] = Arrays.stream(maps[i]).average().orElseThrow();
      meanVariance += covariance(maps[i], maps[i]) / channels;
      for (int j = 0; j < channels; j++) {
        s[i][j] = covariance(maps[i], maps[j]) * (pixels - 1) / pixels;
      }
    }
    double b2 = 0;
    double d2 = 0;
    for (int i = 0; i < channels; i++) {
      for (int j = 0; j < channels; j++) {
        double target = i == j ? meanVariance * (pixels - 1) / pixels : 0;
        d2 += Math.pow(s[i][j] - target, 2);
        for (int p = 0; p < pixels; p++) {
          double product = (maps[i][p] - means[i]) * (maps[j][p] - means[j]);
          b2 += Math.pow(product - s[i][j], 2) / pixels / pixels;
        }
      }
    }
    return b2 >= d2 ? 1 : b2 / d2;
  }

  @Override
  double byDefinition(double[] fi, double[] fj, double sigma) {
    double target = fi == fj ? meanVariance : 0;
    return (1 - sigma) * covariance(fi, fj) + sigma * target;
  }

  @Test
  void isDefiniteWithMoreChannelsThanPixels() {
    Nd4j.getRandom().setSeed(1);
    INDArray wide = Nd4j.randn(DataType.DOUBLE, 1, 8, 4);
    double[] values = Spd.eigenvalues(new KernelRun(kernel(), wide).matrix().slice(0));
    assertThat(values[0]).isGreaterThan(1e-2);
  }

  /** The shrinkage does not depend on the size of the maps, however small or large they are. */
  @Test
  void growsWithTheSquareOfTheMaps() {
    Nd4j.getRandom().setSeed(2);
    INDArray maps = Nd4j.randn(DataType.DOUBLE, 2, 4, 7);
    INDArray k = new KernelRun(kernel(), maps).matrix();
    for (double factor : new double[] {1e-140, 1e-13, 1e-9, 1e60}) {
      INDArray scaled = new KernelRun(kernel(), maps.mul(factor)).matrix();
      assertClose(scaled.div(factor).div(factor), k, ROUNDING);
    }
  }
}
