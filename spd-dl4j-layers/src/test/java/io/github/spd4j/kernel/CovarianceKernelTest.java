/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.manifold.Spd;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

@Tag("once")
class CovarianceKernelTest extends KernelContract {

  @Override
  Kernel kernel() {
    return new CovarianceKernel();
  }

  @Override
  double byDefinition(double[] fi, double[] fj, double sigma) {
    double meanI = Arrays.stream(fi).average().orElseThrow();
    double meanJ = Arrays.stream(fj).average().orElseThrow();
    double sum = 0;
    for (int p = 0; p < fi.length; p++) {
      sum += (fi[p] - meanI) * (fj[p] - meanJ);
    }
    return fi.length == 1 ? 0 : sum / (fi.length - 1);
  }

  /** The paper's Remark: the rank is at most min(C, P − 1). */
  @Test
  void isSingularWithMoreChannelsThanPixels() {
    Nd4j.getRandom().setSeed(1);
    INDArray wide = Nd4j.randn(DataType.DOUBLE, 1, 8, 4);
    double[] values = Spd.eigenvalues(new KernelRun(kernel(), wide).matrix().slice(0));
    for (int i = 0; i < 5; i++) {
      assertSmall(values[i], ROUNDING);
    }
    assertThat(values[5]).isGreaterThan(1e-3);
  }
}
