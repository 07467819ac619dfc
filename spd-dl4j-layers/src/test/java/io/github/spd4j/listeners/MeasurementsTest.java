/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.encoding.ExpectationMaximization;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

class MeasurementsTest {

  private final Map<Figure, Double> figures = new EnumMap<>(Figure.class);

  @Test
  void matricesWithoutATraceHaveNoRoot() {
    INDArray matrices = Nd4j.zeros(DataType.FLOAT, 4, 1, 2, 2);
    matrices.putScalar(new int[] {1, 0, 0, 0}, 3);
    matrices.putScalar(new int[] {2, 0, 0, 1}, 3); // off the diagonal
    matrices.putScalar(new int[] {3, 0, 1, 1}, -1);
    Measurements.withoutRoot(matrices, 4, figures);
    assertThat(figures).containsEntry(Figure.FLOORED, 3.0);
    Measurements.withoutRoot(matrices, 2, figures);
    assertThat(figures).containsEntry(Figure.FLOORED, 1.0);
  }

  /** Of three dimensions one is constant, so that its variances are raised in all components. */
  @Test
  void variancesThatWereRaisedAreCounted() {
    Nd4j.getRandom().setSeed(4);
    INDArray descriptors = Nd4j.randn(DataType.DOUBLE, 60, 3);
    Measurements.variances(fitted(descriptors), figures);
    assertThat(figures).containsEntry(Figure.FLOORED, 0.0);
    descriptors.get(NDArrayIndex.all(), NDArrayIndex.point(1)).assign(5);
    Measurements.variances(fitted(descriptors), figures);
    assertThat(figures).containsEntry(Figure.FLOORED, 2.0);
  }

  private static INDArray fitted(INDArray descriptors) {
    return new ExpectationMaximization()
        .components(2)
        .seed(1)
        .fit(descriptors)
        .mixture()
        .variances();
  }
}
