/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.images.PixelFormat;
import java.nio.file.Path;
import java.util.List;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.weights.WeightInit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;

/** Every row of the tables is trained and tested, on a small backbone and a tiny data set. */
@Tag("once")
class TexturesTest {

  private static final int SIZE = 16;
  private static final String CUT = "conv";

  @TempDir Path folder;

  private static Backbone backbone() {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(1)
                .weightInit(WeightInit.RELU)
                .activation(Activation.RELU)
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(InputType.convolutional(SIZE, SIZE, 3))
                .addLayer(
                    CUT, new ConvolutionLayer.Builder(5, 5).stride(8, 8).nOut(8).build(), "image")
                .addLayer("fc", new DenseLayer.Builder().nOut(16).build(), CUT)
                .addLayer("predictions", new OutputLayer.Builder().nOut(5).build(), "fc")
                .setOutputs("predictions")
                .build());
    net.init();
    net.params().muli(1.0 / 64); // pixels reach 255
    return new Backbone("small", net, CUT, PixelFormat.CAFFE, SIZE);
  }

  @Test
  void everyMethodHasAResult() {
    Path images = Path.of(System.getProperty("spd4j.root"), "src-test-resources/datasets/dtd");
    List<Textures.Result> results =
        new Textures(backbone(), folder, 1, 0).run(DataSetKind.DTD, images);
    assertThat(results).hasSameSizeAs(Textures.rows(8));
    assertThat(results)
        .allSatisfy(
            result -> {
              assertThat(result.accuracies()).hasSize(3);
              assertThat(result.mean()).isBetween(0.0, 100.0);
            });
  }
}
