/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Beside the shared suites and the reference: degenerate maps, and what a sketch is good for. */
class CompactBilinearLayerTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  private static Layer runtime(VectorLayer layer, DataType type) {
    NeuralNetConfiguration conf =
        new NeuralNetConfiguration.Builder().dataType(type).layer(layer).build();
    return layer.instantiate(conf, null, 0, null, true, type);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void mapsOfZerosGiveAZeroVectorAndNoGradient(DataType type) {
    Layer layer = runtime(new CompactBilinearLayer.Builder().sketchSize(5).build(), type);
    INDArray zeros = Nd4j.zeros(type, 2, 4, 3, 3);
    assertThat(layer.activate(zeros, true, NO_WORKSPACES)).isEqualTo(Nd4j.zeros(type, 2, 5));
    INDArray gradient = layer.backpropGradient(Nd4j.ones(type, 2, 5), NO_WORKSPACES).getSecond();
    assertThat(gradient).isEqualTo(zeros);
  }

  /** With so long a sketch hardly two products share a place: angles are those of all products. */
  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void aLongSketchKeepsAngles(DataType type) {
    Nd4j.getRandom().setSeed(2);
    INDArray maps = Nd4j.rand(type, 2, 4, 3, 3);
    INDArray sketches =
        runtime(
                new CompactBilinearLayer.Builder()
                    .sketchSize(1 << 20)
                    .powerNormalization(false)
                    .build(),
                type)
            .activate(maps, false, NO_WORKSPACES);
    INDArray products =
        runtime(new BilinearPoolingLayer.Builder().powerNormalization(false).build(), type)
            .activate(maps, false, NO_WORKSPACES);
    assertThat(cosine(sketches)).isCloseTo(cosine(products), offset(rounding(type)));
  }

  private static double cosine(INDArray unitVectors) {
    return unitVectors.getRow(0).mul(unitVectors.getRow(1)).sumNumber().doubleValue();
  }
}
