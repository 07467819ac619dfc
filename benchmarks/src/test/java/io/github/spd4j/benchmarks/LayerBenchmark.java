/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.layers.BilinearPoolingLayer;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import java.util.concurrent.TimeUnit;
import org.deeplearning4j.nn.conf.layers.Layer;
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

/** The layers one by one. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class LayerBenchmark {

  /** The layers. */
  public enum Choice {
    AGGREGATION,
    BILINEAR,
    TRANSFORM,
    VECTOR;

    private Layer configuration(int size) {
      return switch (this) {
        case AGGREGATION -> new KernelAggregationLayer.Builder().build();
        case BILINEAR -> new BilinearPoolingLayer.Builder().build();
        case TRANSFORM -> new SpdTransformLayer.Builder().nIn(size).nOut(size).build();
        case VECTOR -> new SpdVectorizationLayer.Builder().nIn(size).build();
      };
    }

    private INDArray input(int batch, int size) {
      if (this == AGGREGATION || this == BILINEAR) {
        return Nd4j.randn(DataType.FLOAT, batch, size, 14, 14);
      }
      INDArray any = Nd4j.randn(DataType.FLOAT, batch, size, size);
      return any.add(any.permute(0, 2, 1)).muli(0.5).reshape(batch, 1, size, size);
    }
  }

  @Param public Choice layer;

  @Param("32")
  public int batch;

  @Param("512")
  public int size;

  private LayerRun run;

  @Setup
  public void setUp() {
    run = new LayerRun(layer.configuration(size), layer.input(batch, size));
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
