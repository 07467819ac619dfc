/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import java.util.concurrent.TimeUnit;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A kernel aggregation, by kernel. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class KernelBenchmark {

  /** The kernels, with their defaults. */
  public enum Choice {
    RBF(new RbfKernel()),
    LAPLACIAN(new LaplacianKernel()),
    POLYNOMIAL(PolynomialKernel.degree(2).offset(1).scale(0.005)),
    COVARIANCE(new CovarianceKernel());

    private final Kernel kernel;

    Choice(Kernel kernel) {
      this.kernel = kernel;
    }
  }

  @Param public Choice kernel;

  @Param("32")
  public int batch;

  @Param("512")
  public int channels;

  private LayerRun run;

  @Setup
  public void setUp() {
    run =
        new LayerRun(
            new KernelAggregationLayer.Builder().kernel(kernel.kernel).build(),
            Nd4j.randn(DataType.FLOAT, batch, channels, 14, 14));
  }

  @Benchmark
  public Object forward() {
    return run.forward(false);
  }

  @Benchmark
  public Object forwardAndBackward() {
    return run.forwardAndBackward();
  }
}
