/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.predictions.Classification;
import io.github.spd4j.train.TrainingResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.weights.WeightInit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;

/** Every example runs, on a small backbone and tiny data sets. */
class ExamplesTest {

  private static final int SIZE = 32;
  private static final String CUT = "conv";

  @TempDir Path folder;

  private static Path dataSet(String name) {
    return Path.of(System.getProperty("spd4j.root"), "src-test-resources/datasets", name);
  }

  private static ComputationGraph backbone() {
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
                    CUT, new ConvolutionLayer.Builder(5, 5).stride(2, 2).nOut(8).build(), "image")
                .setOutputs(CUT)
                .build());
    net.init();
    net.params().muli(1.0 / 64); // pixels reach 255
    return net;
  }

  @Test
  void quickstart() {
    assertThat(Quickstart.run(5, 1)).isBetween(0.0, 1.0);
  }

  @Test
  void textures() {
    assertThat(Textures.run(backbone(), CUT, SIZE, dataSet("dtd"), 1)).isBetween(0.0, 1.0);
  }

  @Test
  void fineGrained() {
    Path out = folder.resolve("birds");
    TrainingResult result = FineGrained.run(backbone(), CUT, SIZE, dataSet("cub"), out, 1);
    assertThat(result.history()).isNotEmpty();
    assertThat(out.resolve("model.zip")).exists();
  }

  @Test
  void ownImagesAreServed() throws IOException {
    Path model = OwnImages.run(backbone(), CUT, SIZE, dataSet("folders"), folder.resolve("own"));
    Classification answer = Serving.run(model, List.of(dataSet("folders/leaf/1.png"))).get(0);
    assertThat(answer.probabilities()).containsOnlyKeys("leaf", "stone");
    assertThat(answer.probabilities().values().stream().mapToDouble(p -> p).sum())
        .isCloseTo(1, within(1e-5));
    assertThat(answer.label()).isEqualTo("leaf"); // it was trained on it
  }
}
