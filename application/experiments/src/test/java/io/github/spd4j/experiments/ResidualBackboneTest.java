/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.weights.WeightInit;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.lossfunctions.LossFunctions;

class ResidualBackboneTest {

  @TempDir Path folder;

  /**
   * As Keras's ends, with its names: a residual block, a pooling and a classifier of two layers.
   */
  private static ComputationGraph residual() {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(1)
                .weightInit(WeightInit.RELU)
                .graphBuilder()
                .addInputs("input_1")
                .setInputTypes(InputType.convolutional(16, 16, 3))
                .addLayer("conv1", convolution(), "input_1")
                .addLayer("branch", convolution(), "conv1")
                .addVertex(
                    "add_16", new ElementWiseVertex(ElementWiseVertex.Op.Add), "branch", "conv1")
                .addLayer("activation_49", new ActivationLayer(Activation.RELU), "add_16")
                .addLayer(
                    "avg_pool",
                    new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.AVG, new int[] {4, 4})
                        .build(),
                    "activation_49")
                .addLayer("fc1000", new DenseLayer.Builder().nOut(5).build(), "avg_pool")
                .addLayer(
                    "loss",
                    new LossLayer.Builder(LossFunctions.LossFunction.MCXENT)
                        .activation(Activation.SOFTMAX)
                        .build(),
                    "fc1000")
                .setOutputs("loss")
                .build());
    net.init();
    return net;
  }

  private static ConvolutionLayer convolution() {
    return new ConvolutionLayer.Builder(3, 3).nOut(6).convolutionMode(ConvolutionMode.Same).build();
  }

  @Tag("both")
  @Test
  void deepTenAndAveragePoolingRunOnAResNet() throws IOException {
    Path zip = folder.resolve("resnet.zip");
    ModelSerializer.writeModel(residual(), zip.toFile(), false);
    ExperimentSettings settings = Fixtures.settings(folder.resolve("runs"), "deep-ten", "vgg-16");
    settings.backbone = "resnet50:" + zip;
    settings.size = 32;
    settings.training.headEpochs = 1;
    settings.training.wholeEpochs = 0;
    List<RunResult> results = Fixtures.run(settings);
    assertThat(results).hasSize(2);
    assertThat(results.get(0).settings())
        .containsEntry("backbone", "ResNet-50")
        .containsEntry("cut", "activation_49")
        .containsEntry("convolution", "6")
        .containsEntry("head", "residual encoding");
    assertThat(results.get(1).settings()).containsEntry("head", "average pooling");
  }

  @Test
  void anotherNetworkIsRefused() throws IOException {
    Path zip = folder.resolve("other.zip");
    ModelSerializer.writeModel(RandomBackbone.build().net(), zip.toFile(), false);
    assertThatThrownBy(
            () -> BackboneChoice.of("resnet50:" + zip).load(ExperimentKind.TEXTURE, null, null))
        .isInstanceOf(UserException.class)
        .hasMessageStartingWith("--backbone resnet50: expected a ResNet50 in " + zip);
  }
}
