/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.layers.ScatteringLayer;
import java.io.File;
import java.nio.file.Path;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.config.Sgd;

class ScatteringTest {

  @TempDir private Path folder;

  private static Backbone small() {
    return Scattering.backbone(new ScatteringLayer.Builder().scales(2).directions(4).build());
  }

  private static SpdGraft graft(Head head) {
    return SpdGraft.onto(small()).head(head).classes(2).seed(1);
  }

  /** Stripes across and along, of many widths and phases. */
  private static DataSet stripes(int seed) {
    Nd4j.getRandom().setSeed(seed);
    INDArray images = Nd4j.create(DataType.FLOAT, 16, 3, 16, 16);
    INDArray labels = Nd4j.create(DataType.FLOAT, 16, 2);
    for (int i = 0; i < 16; i++) {
      INDArray lines = Nd4j.randn(DataType.FLOAT, 1, i % 2 == 0 ? 16 : 1, i % 2 == 0 ? 1 : 16);
      images.get(NDArrayIndex.point(i)).assign(lines.broadcast(3, 16, 16));
      labels.putScalar(i, i % 2, 1);
    }
    return new DataSet(images, labels);
  }

  @Test
  void tellsTheNumberOfItsMaps() {
    assertThat(SpdGraft.onto(Scattering.backbone()).featureMaps()).isEqualTo(1 + 4 * 8 + 6 * 64);
    assertThat(Scattering.backbone().net().numParams()).isZero();
  }

  @Tag("once")
  @Test
  void headsLearnOnItFrozenOrNot() {
    for (Head head : new Head[] {Head.averagePooling(), Head.spd(8).scale(10)}) {
      for (boolean frozen : new boolean[] {true, false}) {
        SpdGraft graft =
            graft(head).fineTune(new FineTuneConfiguration.Builder().updater(new Sgd(0.1)).build());
        ComputationGraph net = frozen ? graft.frozenBackbone().build() : graft.build();
        DataSet training = stripes(1);
        for (int epoch = 0; epoch < 20; epoch++) {
          net.fit(training);
        }
        DataSet test = stripes(2);
        INDArray right =
            net.outputSingle(test.getFeatures()).argMax(1).eq(test.getLabels().argMax(1));
        assertThat(right.castTo(DataType.FLOAT).sumNumber().intValue())
            .as("%s, frozen: %s", head.getClass().getSimpleName(), frozen)
            .isEqualTo(16);
      }
    }
  }

  @Test
  void isSavedWithTheNetworkAndCloned() throws Exception {
    ComputationGraph net = graft(Head.averagePooling()).frozenBackbone().build();
    DataSet images = stripes(3);
    net.fit(images);
    INDArray expected = net.outputSingle(images.getFeatures());
    File file = folder.resolve("net.zip").toFile();
    ModelSerializer.writeModel(net, file, true);
    ComputationGraph read = ModelSerializer.restoreComputationGraph(file);
    assertThat(read.outputSingle(images.getFeatures())).isEqualTo(expected);
    assertThat(net.clone().outputSingle(images.getFeatures())).isEqualTo(expected);
    read.fit(images);
  }

  /** Nothing in it depends on the size of the images. */
  @Test
  void takesImagesOfOtherSizes() {
    INDArray maps =
        Scattering.backbone().net().outputSingle(Nd4j.zeros(DataType.FLOAT, 2, 3, 64, 100));
    assertThat(maps.shape()).containsExactly(2, 417, 4, 7);
  }
}
