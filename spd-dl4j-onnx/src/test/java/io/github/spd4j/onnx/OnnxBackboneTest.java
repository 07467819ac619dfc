/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.StringStringEntryProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import com.google.protobuf.ByteString;
import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.models.FileLayer;
import io.github.spd4j.models.SafeModels;
import io.github.spd4j.predictions.Attribution;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * Networks of timm against PyTorch. {@code make_onnx.py} wrote the files. The environment variable
 * {@code SPD4J_ONNX} names a folder with others that this script wrote.
 */
class OnnxBackboneTest {

  /** Relative to the largest value. */
  private static final double TOLERANCE = 1e-4;

  private static final Path SMALL =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/onnx");

  @TempDir Path folder;

  static Stream<Path> files() throws IOException {
    String other = System.getenv("SPD4J_ONNX");
    Set<Path> files = new TreeSet<>();
    try (Stream<Path> all = Files.list(other == null ? SMALL : Path.of(other))) {
      all.filter(file -> file.toString().endsWith(".onnx")).forEach(files::add);
    }
    return files.stream();
  }

  private static Path small(String name) {
    return SMALL.resolve(name + ".onnx");
  }

  private static INDArray image(int images, int size) {
    return Nd4j.create(DataType.FLOAT, images, 3, size, size)
        .assign(
            org.nd4j.linalg.ops.transforms.Transforms.sin(
                Nd4j.arange(3 * size * size)
                    .castTo(DataType.FLOAT)
                    .div(10)
                    .reshape(1, 3, size, size)
                    .broadcast(images, 3, size, size)));
  }

  @ParameterizedTest
  @MethodSource("files")
  void featuresAreThoseOfPyTorch(Path file) throws IOException {
    String name = file.getFileName().toString().replace(".onnx", ".json");
    JsonNode expected = new ObjectMapper().readTree(file.resolveSibling(name).toFile());
    int size = expected.get("size").asInt();
    Backbone backbone = OnnxBackbone.load(file).withSize(size);
    INDArray maps = backbone.net().outputSingle(image(2, size));
    for (int i = 0; i < 2; i++) {
      double[] got = maps.slice(i).dup('c').reshape(maps.length() / 2).toDoubleVector();
      double largest = Nd4j.createFromArray(got).amaxNumber().doubleValue();
      assertThat(maps.size(1)).isEqualTo(expected.get("shape").get(0).asInt());
      assertThat(maps.size(2)).isEqualTo(expected.get("shape").get(1).asInt());
      assertThat(maps.size(3)).isEqualTo(expected.get("shape").get(2).asInt());
      double worst = 0;
      for (int j = 0; j < got.length; j++) {
        double difference = Math.abs(got[j] - expected.get("maps").get(j).asDouble());
        worst = difference <= worst ? worst : difference;
      }
      assertThat(worst / largest).isLessThanOrEqualTo(TOLERANCE);
    }
  }

  @Test
  void isCutAtAnInnerValue() throws IOException {
    Backbone whole = OnnxBackbone.load(small("resnet"));
    String inner = "/layer3/layer3.0/Add_output_0";
    Backbone cut = OnnxBackbone.load(small("resnet"), inner);
    assertThat(cut.cut()).isEqualTo("onnx/layer3/layer3.0/Add-output-0");
    assertThat(cut.net().outputSingle(image(1, 64)).shape()).containsExactly(1, 8, 4, 4);
    assertThat(SpdGraft.onto(cut).featureMaps()).isEqualTo(8);
    assertThat(FileLayer.in(cut.net()).get(0).file())
        .hasSizeLessThan(FileLayer.in(whole.net()).get(0).file().length);
  }

  @Test
  void aWrongCutNamesWhatCouldBeMeant() {
    assertThatThrownBy(() -> OnnxBackbone.load(small("resnet"), "layer4"))
        .hasMessageContaining("resnet.onnx: expected a value of the graph that is feature maps")
        .hasMessageContaining("\"/layer4/layer4.0/Add_output_0\" [N, 16, 2, 2]")
        .hasMessageEndingWith("got layer4");
    assertThatThrownBy(() -> OnnxBackbone.load(small("vit"), "/nothing"))
        .hasMessageContaining("such as")
        .hasMessageContaining("\"maps\" [N, 17, 16]");
  }

  @Test
  void aNameOfTimmTellsPixelsAndSize() throws IOException {
    Path named = folder.resolve("convnext_tiny.in12k_ft_in1k_384.onnx");
    Files.copy(small("convnext"), named);
    assertThat(OnnxBackbone.load(small("convnext")).pixels()).isNull();
    assertThat(OnnxBackbone.load(named).pixels()).isEqualTo(PixelFormat.TORCH);
    assertThat(TimmPixels.of("convnext_tiny.in12k_ft_in1k_384"))
        .hasValueSatisfying(known -> assertThat(known.size()).isEqualTo(384));
    assertThat(TimmPixels.of("vit_base_patch16_224.augreg_in21k").orElseThrow().pixels())
        .hasToString("RGB, 0 to 1, minus (0.5, 0.5, 0.5), divided by (0.5, 0.5, 0.5)");
  }

  @Test
  void weightsMayLieBesideIt() throws IOException {
    Path outside = outside(tensor -> "weights.bin", 0);
    INDArray expected = OnnxBackbone.load(small("resnet")).net().outputSingle(image(1, 64));
    INDArray got = OnnxBackbone.load(outside).net().outputSingle(image(1, 64));
    assertThat(got).isEqualTo(expected);
  }

  @Test
  void weightsLieNowhereElse() throws IOException {
    for (String place : List.of("../weights.bin", "/etc/passwd", "..", "a/b", "C:\\x", "", "x\n")) {
      assertThatThrownBy(() -> OnnxBackbone.load(outside(tensor -> place, 0)))
          .hasMessageContaining("in a file beside it, got");
    }
    assertThatThrownBy(() -> OnnxBackbone.load(outside(tensor -> "none.bin", 0)))
        .hasMessageContaining("none.bin, got none");
    for (long offset : new long[] {-1, 1L << 40, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> OnnxBackbone.load(outside(tensor -> "weights.bin", offset)))
          .hasMessageContaining("numbers of");
    }
  }

  /** A small network whose weights lie in another file. */
  private Path outside(java.util.function.Function<TensorProto, String> place, long wrong)
      throws IOException {
    ModelProto.Builder model =
        ModelProto.parseFrom(Files.readAllBytes(small("resnet"))).toBuilder();
    java.io.ByteArrayOutputStream weights = new java.io.ByteArrayOutputStream();
    for (TensorProto.Builder tensor : model.getGraphBuilder().getInitializerBuilderList()) {
      ByteString raw = tensor.getRawData();
      String location = place.apply(tensor.build());
      tensor
          .clearRawData()
          .setDataLocation(TensorProto.DataLocation.EXTERNAL)
          .addExternalData(entry("location", location))
          .addExternalData(entry("offset", "" + (wrong == 0 ? weights.size() : wrong)))
          .addExternalData(entry("length", "" + raw.size()));
      raw.writeTo(weights);
    }
    Files.write(folder.resolve("weights.bin"), weights.toByteArray());
    return Files.write(folder.resolve("outside.onnx"), model.build().toByteArray());
  }

  private static StringStringEntryProto entry(String key, String value) {
    return StringStringEntryProto.newBuilder().setKey(key).setValue(value).build();
  }

  @Test
  void isTrainedSavedAndRead() throws IOException {
    Backbone backbone = OnnxBackbone.load(small("vit")).withPixels(PixelFormat.TORCH);
    ComputationGraph net = net(backbone);
    InMemoryImages images = images();
    TwoStageTrainer.builder(net)
        .plan(
            TrainingPlan.recommended().toBuilder()
                .epochs(Stage.HEAD, 2)
                .epochs(Stage.WHOLE, 0)
                .batchSize(4)
                .build())
        .training(images)
        .withoutValidation()
        .build()
        .train();
    Path file = folder.resolve("model.zip");
    ImageClassifier.save(net, backbone.card(List.of("a", "b")), file);
    ComputationGraph read = SafeModels.loadGraph(file);
    INDArray image = image(3, 32);
    assertThat(read.outputSingle(image)).isEqualTo(net.outputSingle(image));
    assertThat(net.clone().outputSingle(image)).isEqualTo(net.outputSingle(image));
    assertThat(ImageClassifier.load(file).explains()).isTrue();
    assertThat(new Attribution(read).of(image(1, 32), 0).shape()).containsExactly(4, 4);
  }

  private static ComputationGraph net(Backbone backbone) {
    return SpdGraft.onto(backbone).head(Head.spd(8)).classes(2).seed(1).build();
  }

  private static InMemoryImages images() {
    Nd4j.getRandom().setSeed(1);
    INDArray pictures = Nd4j.randn(DataType.FLOAT, 8, 3, 32, 32);
    return new InMemoryImages(pictures, new int[] {0, 1, 0, 1, 0, 1, 0, 1}, 2);
  }

  @Test
  void stageTwoIsRefused() throws IOException {
    ComputationGraph net = net(OnnxBackbone.load(small("vit")));
    assertThatThrownBy(
            () ->
                TwoStageTrainer.builder(net)
                    .plan(TrainingPlan.recommended().toBuilder().epochs(Stage.WHOLE, 1).build())
                    .training(images())
                    .withoutValidation()
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no backward pass");
  }

  @Test
  void imagesOfAnotherSizeAreRefused() throws IOException {
    Backbone backbone = OnnxBackbone.load(small("vit"));
    assertThat(backbone.size()).isEqualTo(32);
    assertThat(net(backbone).outputSingle(image(1, 32)).shape()).containsExactly(1, 2);
    for (int size : new int[] {48, 224}) {
      assertThatThrownBy(() -> backbone.withSize(size))
          .hasMessage("expected images of 32 pixels, which the backbone's file takes, got " + size);
    }
    assertThatThrownBy(() -> backbone.net().outputSingle(image(1, 48)))
        .hasMessage("expected images of 32 by 32 pixels, which the ONNX file takes, got 48 by 48");
  }
}
