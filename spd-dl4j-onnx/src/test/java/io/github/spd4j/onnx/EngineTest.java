/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.predictions.Classification;
import io.github.spd4j.predictions.Engine;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.testing.SmallClassifier;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

/** Answers by ONNX Runtime beside those of DL4J. */
class EngineTest {

  private static final Path ONNX =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/onnx/resnet.onnx");

  @TempDir Path folder;

  private Path saved(Backbone backbone) {
    ComputationGraph net =
        SpdGraft.onto(backbone).head(Head.spdRoot(8).convolution(16)).classes(3).seed(1).build();
    Nd4j.getRandom().setSeed(1);
    net.getLayer(SpdGraft.CLASSIFIER)
        .getParam("W")
        .assign(
            Nd4j.randn(DataType.FLOAT, net.getLayer(SpdGraft.CLASSIFIER).getParam("W").shape()));
    Path file = folder.resolve("model.zip");
    ImageClassifier.save(net, backbone.card(List.of("a", "b", "c")), file);
    return file;
  }

  private static BufferedImage picture(int seed) {
    BufferedImage picture = new BufferedImage(40, 50, BufferedImage.TYPE_INT_RGB);
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      picture.setRGB(i % 40, i / 40, random.nextInt());
    }
    return picture;
  }

  private static void assertSameAnswers(Path file) throws IOException {
    ImageClassifier own = ImageClassifier.load(file);
    ImageClassifier other = ImageClassifier.load(file, Engine.ONNXRUNTIME);
    for (int i = 0; i < 3; i++) {
      Classification expected = own.classify(picture(i));
      Classification got = other.classify(picture(i));
      assertThat(got.label()).isEqualTo(expected.label());
      assertThat(got.probability()).isCloseTo(expected.probability(), within(1e-5));
      BufferedImage why = other.explain(picture(i));
      assertThat(why.getRGB(60, 20)).isEqualTo(own.explain(picture(i)).getRGB(60, 20));
    }
  }

  @Test
  void answersAreTheSame() throws IOException {
    Path file = folder.resolve("small.zip");
    ComputationGraph net =
        SmallClassifier.net(32, new ConvolutionLayer.Builder(3, 3).nOut(8).build(), 1);
    ModelCard card = ModelCard.of(List.of("a", "b", "c"), 32, Views.PLAIN, PixelFormat.TORCH);
    ImageClassifier.save(net, card, file);
    assertSameAnswers(file);
  }

  /** What cannot be written as ONNX stays with DL4J. */
  @Test
  void aNetworkThatIsOnnxStaysWithDl4j() throws IOException {
    assertSameAnswers(saved(OnnxBackbone.load(ONNX).withPixels(PixelFormat.TORCH)));
  }
}
