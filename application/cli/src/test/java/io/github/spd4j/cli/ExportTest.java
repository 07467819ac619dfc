/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.HeadWeights;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.testing.SmallClassifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ExportTest {

  private static final ModelCard CARD =
      ModelCard.of(List.of("leaf", "sand", "water"), 16, Views.PLAIN, PixelFormat.CAFFE);

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path model;

  @BeforeEach
  void makeModel() throws IOException {
    model = folder.resolve("model.zip");
    ImageClassifier.save(net(), CARD, model);
    Files.writeString(folder.resolve("thesis.onnx"), "years");
  }

  private static ComputationGraph net() {
    ConvolutionLayer layer = new ConvolutionLayer.Builder(3, 3).stride(2, 2).nOut(4).build();
    return SmallClassifier.net(16, layer, 2);
  }

  private int run(String... words) {
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return spd.execute(words);
  }

  @Tag("both")
  @Test
  void aModelIsWrittenAndWrittenAgain() {
    Path file = folder.resolve("new/model.onnx");
    for (String option : List.of("export", "--with-pixels")) {
      String[] words = {"export", model.toString(), file.toString(), "--with-pixels"};
      assertThat(run(option.equals("export") ? java.util.Arrays.copyOf(words, 3) : words))
          .as(err.toString())
          .isZero();
      assertThat(file).isNotEmptyFile();
    }
    assertThat(out.toString()).contains("[N, 3, 16, 16]", "bytes [N, 16, 16, 3]", "compared");
  }

  @Test
  void theHeadsWeightsAreWrittenAndWrittenAgain() throws IOException {
    Path file = folder.resolve("head.safetensors");
    for (int i = 0; i < 2; i++) {
      assertThat(run("export", model.toString(), file.toString())).as(err.toString()).isZero();
      assertThat(Files.readString(file, ISO_8859_1)).startsWith(HeadWeights.BEGINNING);
    }
    assertThat(out.toString()).contains("spd-out_W [", "3]").doesNotContain("maps_W");
    assertThat(run("export", model.toString(), file.toString(), "--with-pixels"))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("--with-pixels is for ONNX files");
    Files.writeString(file, "years");
    requireRefusal("would take the place of", model, file);
  }

  @ParameterizedTest
  @ValueSource(strings = {"thesis.onnx", "model.zip"})
  void nothingElseIsReplaced(String name) throws IOException {
    requireRefusal("would take the place of", model, folder.resolve(name));
  }

  @Test
  void aFolderIsNoFile() throws IOException {
    requireRefusal("needs a file", model, folder);
  }

  @Test
  void whatOnnxCannotComputeIsNamed() throws IOException {
    ComputationGraph net =
        SpdGraft.onto(Backbone.of(net(), SmallClassifier.CUT))
            .head(Head.spdNet(3))
            .classes(3)
            .build();
    ImageClassifier.save(net, CARD, model);
    requireRefusal("ReEigLayer 'spd-rectifier-0'", model, folder.resolve("model.onnx"));
    assertThat(err.toString()).contains("spd-root");
  }

  @Test
  void whatIsNoModelIsNamed() throws IOException {
    requireRefusal(
        "expected a trained model", folder.resolve("thesis.onnx"), folder.resolve("model.onnx"));
    requireRefusal("none.zip", folder.resolve("none.zip"), folder.resolve("model.onnx"));
  }

  private void requireRefusal(String reason, Path from, Path to) throws IOException {
    Map<String, String> before = Tree.of(folder);
    assertThat(run("export", from.toString(), to.toString())).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains(reason).doesNotContain("Exception");
    assertThat(err.toString().lines()).hasSizeLessThan(3);
    assertThat(Tree.of(folder)).isEqualTo(before);
  }
}
