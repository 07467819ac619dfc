/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.Head;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.predictions.ImageClassifier;
import java.nio.file.Path;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.weights.WeightInit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;

@Tag("once")
class OwnImagesTest {

  private static final int SIZE = 32;
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
                    CUT, new ConvolutionLayer.Builder(5, 5).stride(2, 2).nOut(8).build(), "image")
                .setOutputs(CUT)
                .build());
    net.init();
    net.params().muli(1.0 / 64); // pixels reach 255
    return new Backbone("small", net, CUT, PixelFormat.CAFFE, SIZE);
  }

  @Test
  void knowsWhatItWasTrainedOn() throws Exception {
    Path images = Path.of(System.getProperty("spd4j.root"), "src-test-resources/datasets/folders");
    Path model = OwnImages.run(backbone(), Head.spdRoot(4).scale(10), images, folder);
    ImageClassifier classifier = ImageClassifier.load(model);
    assertThat(classifier.classes()).containsExactly("leaf", "stone");
    assertThat(classifier.classify(images.resolve("leaf/1.png")).label()).isEqualTo("leaf");
    assertThat(classifier.classify(images.resolve("stone/1.jpg")).label()).isEqualTo("stone");
  }
}
