/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.Stiefel;
import java.util.concurrent.TimeUnit;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The ways back to the Stiefel manifold. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class RetractionBenchmark {

  @Param public Retraction retraction;

  @Param("512")
  public int rows;

  @Param({"64", "256", "512"})
  public int columns;

  private INDArray w;
  private INDArray tangent;

  @Setup
  public void setUp() {
    int p = Math.min(rows, columns);
    w = Stiefel.random(DataType.FLOAT, rows, p);
    tangent = Stiefel.projection(w, Nd4j.randn(DataType.FLOAT, rows, p)).muli(1e-3);
  }

  @Benchmark
  public Object retract() {
    return retraction.retract(w, tangent);
  }
}
