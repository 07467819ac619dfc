/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.internal.files.SafetensorsFile;
import io.github.spd4j.testing.SmallClassifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The head's weights here and in PyTorch; {@code make_head_module.py} wrote the files. */
class HeadWeightsTest {

  private static final int MAPS = 6;
  private static final int CLASSES = 3;

  @TempDir Path folder;

  static Stream<Arguments> heads() {
    return Stream.of(
        Arguments.of("spd-root", Head.spdRoot(4).convolution(5).scale(10)),
        Arguments.of("spd", Head.spd(4).convolution(5).powerFloor(0.1).scale(10)));
  }

  /** What comes in are the maps. */
  private static ComputationGraph net(Head head) {
    ComputationGraph maps =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(InputType.convolutional(5, 5, MAPS))
                .addLayer("maps", new ActivationLayer(Activation.IDENTITY), "image")
                .setOutputs("maps")
                .build());
    maps.init();
    return SpdGraft.onto(Backbone.of(maps, "maps"))
        .inputType(InputType.convolutional(5, 5, MAPS))
        .head(head)
        .classes(CLASSES)
        .build();
  }

  @ParameterizedTest
  @MethodSource("heads")
  void theModuleOfPyTorchHasTheSameAnswers(String method, Head head) throws IOException {
    Path file = Path.of(System.getProperty("spd4j.root"), "src-test-resources", "reference");
    SafetensorsFile stored = SafetensorsFile.open(file.resolve("head-" + method + ".safetensors"));
    ComputationGraph net = net(head);
    HeadWeights weights = HeadWeights.of(net);
    for (Map.Entry<String, List<Long>> array : weights.shapes().entrySet()) {
      INDArray value = stored.array(array.getKey(), longs(array.getValue()));
      INDArray parameter = net.getParam(array.getKey());
      parameter.assign(value.reshape(parameter.shape()));
    }
    INDArray logits = stored.array("logits", 2, CLASSES);
    INDArray answers = net.outputSingle(stored.array("maps", 2, MAPS, 5, 5));
    for (int i = 0; i < 2; i++) {
      for (int k = 1; k < CLASSES; k++) {
        double expected = logits.getDouble(i, k) - logits.getDouble(i, 0);
        double got = Math.log(answers.getDouble(i, k) / answers.getDouble(i, 0));
        assertThat(got).isCloseTo(expected, within(1e-4));
      }
    }
    Path written = folder.resolve("head.safetensors");
    weights.write(written);
    assertThat(Files.readString(written, ISO_8859_1)).startsWith(HeadWeights.BEGINNING);
    SafetensorsFile again = SafetensorsFile.open(written);
    for (Map.Entry<String, List<Long>> array : weights.shapes().entrySet()) {
      long[] shape = longs(array.getValue());
      assertThat(again.array(array.getKey(), shape)).isEqualTo(stored.array(array.getKey(), shape));
    }
  }

  private static long[] longs(List<Long> shape) {
    return shape.stream().mapToLong(Long::longValue).toArray();
  }

  /** Of the backbone there is nothing. */
  @Test
  void onlyTheHeadIsWritten() {
    ConvolutionLayer layer = new ConvolutionLayer.Builder(3, 3).stride(2, 2).nOut(4).build();
    ComputationGraph net =
        SpdGraft.onto(Backbone.of(SmallClassifier.net(16, layer, 2), SmallClassifier.CUT))
            .head(Head.spdRoot(2))
            .classes(CLASSES)
            .build();
    assertThat(HeadWeights.of(net).shapes().keySet())
        .allSatisfy(name -> assertThat(name).startsWith("spd-"))
        .contains("spd-out_W", "spd-transform-0_W");
  }

  @Test
  void aNetworkThatDoesNotTellWhereItsBackboneEndsIsRefused() {
    ConvolutionLayer layer = new ConvolutionLayer.Builder(3, 3).stride(2, 2).nOut(4).build();
    ComputationGraph net = SmallClassifier.unmarked(SmallClassifier.net(16, layer, 2));
    assertThatThrownBy(() -> HeadWeights.of(net))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a network of SpdGraft")
        .hasMessageContaining("marked()");
    assertThatThrownBy(() -> HeadWeights.of(null)).hasMessage("net");
  }
}
