/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OnnxModelMetadata;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Pixels;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.onnx.Rehearsal;
import io.github.spd4j.layers.ScatteringLayer;
import io.github.spd4j.models.Confidence;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.statistics.Temperature;
import io.github.spd4j.testing.SmallClassifier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class OnnxExportTest {

  private static final int SIZE = 16;

  @TempDir Path folder;

  @Test
  void probabilitiesAreCalibrated() {
    ModelCard calibrated = card(PixelFormat.TORCH).confidence(Confidence.of(2, 0));
    Path file = folder.resolve("model.onnx");
    OnnxExport.of(net(), calibrated).write(file);
    Path plain = folder.resolve("plain.onnx");
    OnnxExport.of(net(), card(PixelFormat.TORCH)).write(plain);
    INDArray images = Nd4j.rand(DataType.FLOAT, 1, 3, SIZE, SIZE);
    double[] expected =
        Temperature.apply(2, Rehearsal.run(plain, images, false).reshape(3).toDoubleVector());
    double[] actual = Rehearsal.run(file, images, false).reshape(3).toDoubleVector();
    assertThat(actual).containsExactly(expected, within(1e-5));
  }

  @Test
  void asManyClassesAsOutputsAreNeeded() {
    ModelCard two = ModelCard.of(List.of("a", "b"), SIZE, Views.PLAIN, PixelFormat.TORCH);
    assertThatThrownBy(() -> OnnxExport.of(net(), two)).hasMessageContaining("3, got 2");
  }

  @Test
  void theBeginningIsThatOfFiles() throws IOException {
    Path file = folder.resolve("model.onnx");
    OnnxExport.of(net(), card(PixelFormat.TORCH)).write(file);
    byte[] beginning = OnnxExport.BEGINNING.getBytes(StandardCharsets.UTF_8);
    assertThat(Files.readAllBytes(file)).startsWith(beginning);
  }

  static Stream<PixelFormat> formats() {
    return Stream.of(
        PixelFormat.CAFFE,
        PixelFormat.TORCH,
        PixelFormat.of(PixelFormat.Order.RGB, 1),
        PixelFormat.valueOf("BGR, 0 to 1, minus (0.1, 0.2, 0.3), divided by (0.5, 0.25, 2)"));
  }

  private static ModelCard card(PixelFormat format) {
    return ModelCard.of(List.of("leaf", "sand", "\"water\""), SIZE, Views.PLAIN, format);
  }

  private static ComputationGraph net() {
    ConvolutionLayer maps = new ConvolutionLayer.Builder(3, 3).stride(2, 2).nOut(4).build();
    return SmallClassifier.net(SIZE, maps, 2);
  }

  @ParameterizedTest
  @MethodSource("formats")
  void bytesBecomeTheNumbersOfTheFormat(PixelFormat format) {
    ComputationGraph net = net();
    Path file = folder.resolve("model.onnx");
    OnnxExport.of(net, card(format)).withPixels().write(file);
    Random random = new Random(3);
    float[][] planes = new float[3][SIZE * SIZE];
    for (float[] plane : planes) {
      for (int i = 0; i < plane.length; i++) {
        plane[i] = random.nextInt(256);
      }
    }
    INDArray bytes = Nd4j.createFromArray(planes).reshape(3, SIZE, SIZE).permute(1, 2, 0).dup('c');
    INDArray actual = Rehearsal.run(file, bytes.reshape(1, SIZE, SIZE, 3), true);
    INDArray expected = net.outputSingle(format.array(new Pixels(planes, SIZE, SIZE)));
    assertThat(expected.amaxNumber().doubleValue()).isBetween(0.34, 0.999);
    assertThat(actual.sub(expected).amaxNumber().doubleValue()).isLessThan(1e-5);
  }

  @Test
  void theFileSaysWhatItTakes() throws OrtException {
    Path file = folder.resolve("model.onnx");
    OnnxExport.of(net(), card(PixelFormat.TORCH)).write(file);
    try (OrtSession session = OrtEnvironment.getEnvironment().createSession(file.toString())) {
      OnnxModelMetadata about = session.getMetadata();
      assertThat(about.getCustomMetadata())
          .containsEntry("classes", "[\"leaf\",\"sand\",\"\\\"water\\\"\"]")
          .containsEntry("pixels", PixelFormat.TORCH.toString())
          .containsEntry("size", "16")
          .containsEntry("card", card(PixelFormat.TORCH).json());
      assertThat(session.getInputInfo().toString()).contains("images", "[-1, 3, 16, 16]");
      assertThat(session.getOutputInfo().toString()).contains("probabilities", "[-1, 3]");
    }
  }

  @Test
  void whatCannotBeIsRefusedAndNothingIsWritten() throws IOException {
    ComputationGraph net =
        SpdGraft.onto(Backbone.of(net(), SmallClassifier.CUT))
            .head(Head.logEuclidean())
            .classes(3)
            .build();
    Path file = Files.writeString(folder.resolve("model.onnx"), "earlier");
    OnnxExport export = OnnxExport.of(net, card(PixelFormat.TORCH));
    assertThatThrownBy(() -> export.write(file))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("LogEigLayer 'spd-function'")
        .hasMessageContaining("spd-root");
    assertThat(file).hasContent("earlier");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void otherAnswersAreNotKept() throws IOException {
    ComputationGraph net = net();
    net.getLayers()[0].getParam("W").putScalar(0, Float.NaN);
    Path file = folder.resolve("model.onnx");
    assertThatThrownBy(() -> OnnxExport.of(net, card(PixelFormat.TORCH)).write(file))
        .isInstanceOf(RuntimeException.class);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }

  /** A network that is not for images of any backbone. */
  @Test
  void waveletsAreTheSame() {
    ComputationGraph backbone =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .dataType(DataType.FLOAT)
                .graphBuilder()
                .addInputs("image")
                .addLayer("maps", new ScatteringLayer.Builder().scales(2).build(), "image")
                .setOutputs("maps")
                .setInputTypes(InputType.convolutional(32, 32, 3))
                .build());
    backbone.init();
    ComputationGraph net =
        SpdGraft.onto(Backbone.of(backbone, "maps")).head(Head.spdRoot(8)).classes(3).build();
    ModelCard card =
        ModelCard.of(
            List.of("a", "b", "c"), 32, Views.PLAIN, PixelFormat.of(PixelFormat.Order.RGB, 1));
    Path file = folder.resolve("model.onnx");
    OnnxExport.of(net, card).write(file);
    assertThat(file).isNotEmptyFile();
  }
}
