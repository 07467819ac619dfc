/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;

/** What is wrong in DOUBLE may be rounding in FLOAT. */
class DiagnosisTest {

  private static Map<String, String> found(
      SpdLayer layer, Figure figure, double value, DataType type) {
    LayerHealth health =
        new LayerHealth("spd", layer.getClass().getSimpleName(), Map.of(figure, value));
    return Diagnosis.of(layer, health, type);
  }

  @Test
  void aDistanceFromTheManifoldIsMeasuredByTheType() {
    SpdLayer transform = new SpdTransformLayer.Builder().nIn(4).nOut(2).build();
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      double limit = NumericPolicy.offManifold(type);
      assertThat(found(transform, Figure.OFF_MANIFOLD, 0.9 * limit, type)).isEmpty();
      assertThat(found(transform, Figure.OFF_MANIFOLD, 1.1 * limit, type).values())
          .singleElement()
          .asString()
          .contains("off the Stiefel manifold", "above " + limit);
    }
    double between =
        Math.sqrt(
            NumericPolicy.offManifold(DataType.FLOAT) * NumericPolicy.offManifold(DataType.DOUBLE));
    assertThat(found(transform, Figure.OFF_MANIFOLD, between, DataType.FLOAT)).isEmpty();
    assertThat(found(transform, Figure.OFF_MANIFOLD, between, DataType.DOUBLE)).hasSize(1);
  }

  @Test
  void aConditionNumberIsMeasuredByTheType() {
    SpdLayer kernel = new KernelAggregationLayer.Builder().nIn(4).build();
    assertThat(found(kernel, Figure.CONDITION, 1e12, DataType.FLOAT)).hasSize(1);
    assertThat(found(kernel, Figure.CONDITION, 1e12, DataType.DOUBLE)).isEmpty();
    assertThat(found(kernel, Figure.CONDITION, 1e17, DataType.DOUBLE)).hasSize(1);
  }
}
