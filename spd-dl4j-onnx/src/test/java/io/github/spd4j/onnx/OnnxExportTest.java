/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.onnx.proto.OnnxMl.ModelProto;
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
import org.nd4j.shade.jackson.databind.ObjectMapper;

class OnnxExportTest {

  private static final int SIZE = 16;

  private static final Path SMALL =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/onnx");

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
  void theFileSaysWhatItTakes() throws OrtException, IOException {
    Path file = folder.resolve("model.onnx");
    OnnxExport.of(net(), card(PixelFormat.TORCH)).write(file);
    try (OrtSession session = OrtEnvironment.getEnvironment().createSession(file.toString())) {
      OnnxModelMetadata about = session.getMetadata();
      assertThat(about.getCustomMetadata())
          .containsEntry("classes", "[\"leaf\",\"sand\",\"\\\"water\\\"\"]")
          .containsEntry("pixels", PixelFormat.TORCH.toString())
          .containsEntry("size", "16")
          .containsEntry("card", card(PixelFormat.TORCH).json());
      assertThat(about.getProducerName()).isEqualTo("spd-dl4j-onnx");
      assertThat(ModelProto.parseFrom(Files.readAllBytes(file)).getProducerVersion())
          .matches("\\d+\\.\\d+\\.\\d+.*");
      assertThat(session.getInputInfo().toString()).contains("images", "[-1, 3, 16, 16]");
      assertThat(session.getOutputInfo().toString()).contains("probabilities", "[-1, 3]");
    }
  }

  static Stream<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(SMALL)) {
      return all.filter(file -> file.toString().endsWith(".onnx")).sorted().toList().stream();
    }
  }

  private static Backbone backbone(Path file) throws IOException {
    int size =
        new ObjectMapper()
            .readTree(Path.of(file.toString().replace(".onnx", ".json")).toFile())
            .get("size")
            .asInt();
    return OnnxBackbone.load(file).withPixels(PixelFormat.TORCH).withSize(size);
  }

  private static ComputationGraph grafted(Backbone backbone) {
    ComputationGraph net =
        SpdGraft.onto(backbone).head(Head.spdRoot(4).convolution(8)).classes(3).seed(1).build();
    INDArray weights = net.getOutputLayer(0).getParam("W");
    weights.assign(Nd4j.rand(weights.dataType(), weights.shape()));
    return net;
  }

  /** By PyTorch's exporters, maps, channels last and tokens; writing compares the answers. */
  @ParameterizedTest
  @MethodSource("files")
  void aBackboneFromAnOnnxFileIsJoined(Path small) throws IOException, OrtException {
    Backbone backbone = backbone(small);
    Path file = folder.resolve("model.onnx");
    OnnxExport.of(grafted(backbone), backbone.card(List.of("a", "b", "c")))
        .withPixels()
        .write(file);
    try (OrtSession session = OrtEnvironment.getEnvironment().createSession(file.toString())) {
      assertThat(session.getMetadata().getCustomMetadata())
          .containsEntry("classes", "[\"a\",\"b\",\"c\"]");
      assertThat(session.getNumInputs()).isEqualTo(1);
    }
    ModelProto joined = ModelProto.parseFrom(Files.readAllBytes(file));
    ModelProto alone = ModelProto.parseFrom(Files.readAllBytes(small));
    assertThat(joined.getOpsetImport(0).getVersion())
        .isEqualTo(alone.getOpsetImport(0).getVersion());
    assertThat(joined.getGraph().getInitializerList())
        .filteredOn(tensor -> tensor.getName().startsWith("onnx/"))
        .isNotEmpty();
  }

  @Test
  void whatCannotBeJoinedIsRefused() throws IOException {
    ModelProto model = ModelProto.parseFrom(Files.readAllBytes(SMALL.resolve("resnet.onnx")));
    ModelProto.Builder old = model.toBuilder();
    old.getOpsetImportBuilder(0).setVersion(12);
    assertRefused(old, "'onnx/maps' cannot be written as ONNX", "13 to 28", "got 12");
    ModelProto.Builder one = model.toBuilder();
    one.getGraphBuilder()
        .getInputBuilder(0)
        .getTypeBuilder()
        .getTensorTypeBuilder()
        .getShapeBuilder()
        .getDimBuilder(0)
        .setDimValue(1);
    assertRefused(one, "'onnx/maps' cannot be written as ONNX", "a single image");
  }

  private void assertRefused(ModelProto.Builder model, String... parts) throws IOException {
    Path bad = Files.write(folder.resolve("bad.onnx"), model.build().toByteArray());
    Backbone backbone = OnnxBackbone.load(bad).withPixels(PixelFormat.TORCH).withSize(64);
    OnnxExport export = OnnxExport.of(grafted(backbone), backbone.card(List.of("a", "b", "c")));
    Path file = folder.resolve("model.onnx");
    assertThatThrownBy(() -> export.write(file))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContainingAll(parts);
    assertThat(file).doesNotExist();
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
