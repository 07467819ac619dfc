/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.testing.Networks;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;

/** Training in FLOAT on images that have nothing to tell: no parameter becomes NaN. */
class DegenerateImagesTest {

  private static final int STEPS = 12;

  static Stream<List<Layer>> heads() {
    Layer vector = new SpdVectorizationLayer.Builder().build();
    return Stream.of(
        List.of(
            new KernelAggregationLayer.Builder()
                .kernel(new CovarianceKernel())
                .dropOut(new DropCov())
                .build(),
            new ShrinkageLayer.Builder()
                .shrinkage(0.1)
                .learnt(true)
                .traceNormalization(true)
                .dropOut(new SpdDropout(0.7))
                .build(),
            vector.clone()),
        List.of(
            new KernelAggregationLayer.Builder().kernel(new LedoitWolfKernel()).build(),
            vector.clone()),
        List.of(
            new KernelAggregationLayer.Builder().kernel(new CovarianceKernel()).build(),
            new SparseInverseLayer.Builder().build(),
            vector.clone()),
        List.of(
            new KernelAggregationLayer.Builder().kernel(new CovarianceKernel()).build(),
            new SpdBatchNormalizationLayer.Builder().build(),
            vector.clone()),
        List.of(
            new KernelAggregationLayer.Builder().kernel(new CovarianceKernel()).ridge(1e-3).build(),
            new SpdBatchNormalizationLayer.Builder().metric(LogMetric.CHOLESKY).build(),
            new LogEigLayer.Builder().build(),
            vector.clone()));
  }

  @ParameterizedTest
  @MethodSource("heads")
  void blackConstantAndRepeated(List<Layer> head) {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Adam(0.01)),
            head,
            InputType.convolutional(8, 8, 3));
    for (int step = 0; step < STEPS; step++) {
      DataSet data = Networks.images(DataType.FLOAT, step, 4, 3, 8, 8);
      INDArray images = data.getFeatures();
      INDArray texture = Nd4j.rand(DataType.FLOAT, 1, 1, 2, 2);
      if (step % 3 == 0) {
        images.assign(0);
      } else if (step % 3 == 1) {
        images.assign(0.7);
      } else {
        images.assign(Nd4j.tile(texture, 4, 3, 4, 4));
      }
      net.fit(data);
      assertThat(net.params().norm2Number().doubleValue()).as("step %s", step).isFinite();
      INDArray output = net.outputSingle(images);
      assertThat(output.sumNumber().doubleValue()).as("step %s", step).isFinite();
    }
  }
}
