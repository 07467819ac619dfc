/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.manifold.Retraction;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The whole head: kernel aggregation, transform, vectorisation and classifier. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class HeadBenchmark {

  @Param("32")
  public int batch;

  @Param("512")
  public int channels;

  @Param("512")
  public int outputs;

  @Param("QR")
  public Retraction retraction;

  private HeadWorkload head;

  @Setup
  public void setUp() {
    head = new HeadWorkload(new HeadSize(batch, channels, outputs, 14, 47), retraction);
  }

  @Benchmark
  public void forward() {
    head.run("forward");
  }

  @Benchmark
  public void step() {
    head.run("step");
  }
}
