/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.ndarray.INDArray;

/** {@code --backbone graph:FILE.zip}. */
class ForeignBackboneTest {

  private static final PixelFormat PIXELS = PixelFormat.valueOf("RGB, 0 to 1");

  @TempDir Path folder;

  private Path zip;

  @BeforeEach
  void write() throws IOException {
    zip = folder.resolve("net.zip");
    ModelSerializer.writeModel(RandomBackbone.build().net(), zip.toFile(), false);
  }

  @Test
  void anyGraphIsABackboneWithACutAndPixels() {
    Backbone backbone =
        BackboneChoice.of("graph:" + zip).load(ExperimentKind.TEXTURE, "conv1", PIXELS);
    assertThat(backbone.title()).isEqualTo("net.zip");
    assertThat(backbone.cut()).isEqualTo("conv1");
    assertThat(SpdGraft.onto(backbone).featureMaps()).isEqualTo(12);
    assertThat(backbone.pixels()).isEqualTo(PIXELS);
  }

  private ExperimentSettings settings() {
    ExperimentSettings settings = Fixtures.settings(folder.resolve("runs"), "b-cnn");
    settings.backbone = "graph:" + zip;
    settings.cut = "conv1";
    settings.pixels = PIXELS;
    settings.size = 32;
    settings.training.wholeEpochs = 0;
    return settings;
  }

  /** Two weights change places, or one its sign: the norm of all of them is the same. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anotherBackboneIsNotTakenForTheOneOfTheRun(boolean swapped) throws IOException {
    Fixtures.run(settings());
    ComputationGraph net = RandomBackbone.build().net();
    INDArray weights = net.getParam("conv1_W");
    double first = weights.getDouble(0, 0, 0, 0);
    double last = weights.getDouble(11, 2, 2, 2);
    weights.putScalar(new int[] {0, 0, 0, 0}, swapped ? last : -first);
    weights.putScalar(new int[] {11, 2, 2, 2}, swapped ? first : last);
    ModelSerializer.writeModel(net, zip.toFile(), false);
    assertThatThrownBy(() -> Fixtures.run(settings()))
        .isInstanceOf(UserException.class)
        .hasMessageContaining("backboneParameters");
  }

  @Test
  void itsPixelsAreThoseOfTheRun() {
    ExperimentSettings settings = settings();
    RunResult result = Fixtures.run(settings).get(0);
    assertThat(result.settings())
        .containsEntry("pixels", "RGB, 0 to 1")
        .containsEntry("cut", "conv1");
    settings.pixels = PixelFormat.CAFFE;
    assertThatThrownBy(() -> Fixtures.run(settings))
        .isInstanceOf(UserException.class)
        .hasMessageContaining("pixels = RGB, 0 to 1");
  }

  @Test
  void whatIsMissingIsSaid() {
    BackboneChoice graph = BackboneChoice.of("graph:" + zip);
    assertThatThrownBy(() -> graph.load(ExperimentKind.TEXTURE, null, PIXELS))
        .isInstanceOf(UserException.class)
        .hasMessageEndingWith("conv1, pool1, conv2; got none");
    assertThatThrownBy(() -> graph.load(ExperimentKind.TEXTURE, "konv2", PIXELS))
        .hasMessageEndingWith("got konv2; did you mean conv2?");
    assertThatThrownBy(() -> graph.load(ExperimentKind.TEXTURE, "conv2", null))
        .isInstanceOf(UserException.class)
        .hasMessageContaining("--pixels");
    assertThatThrownBy(() -> BackboneChoice.of("graph")).isInstanceOf(UserException.class);
  }

  @Test
  void whatIsNoGraphIsRefused() throws IOException {
    MultiLayerNetwork sequence =
        new MultiLayerNetwork(
            new NeuralNetConfiguration.Builder()
                .list()
                .layer(new OutputLayer.Builder().nIn(2).nOut(2).build())
                .build());
    sequence.init();
    Path other = folder.resolve("sequence.zip");
    ModelSerializer.writeModel(sequence, other.toFile(), false);
    Path text = Files.writeString(folder.resolve("text.zip"), "no network");
    for (Path file : new Path[] {other, text, folder.resolve("gone.zip")}) {
      assertThatThrownBy(
              () ->
                  BackboneChoice.of("graph:" + file).load(ExperimentKind.TEXTURE, "conv2", PIXELS))
          .isInstanceOf(UserException.class)
          .hasMessageStartingWith("--backbone graph: ")
          .hasMessageContaining(file.toString());
    }
  }
}
