/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.images.Png;
import io.github.spd4j.models.Confidence;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.testing.SmallClassifier;
import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.activations.Activation;

/** A small network with random weights, and pictures for it. */
final class TinyModel {

  static final List<String> CLASSES = List.of("leaf", "stone & <sand>", "water");
  static final int SIZE = 24;

  private TinyModel() {}

  /** Writes a model whose answers differ from picture to picture. */
  static Path write(Path file) {
    return write(file, Confidence.UNKNOWN);
  }

  /** The same with what is known of its answers. */
  static Path write(Path file, Confidence confidence) {
    ModelCard card =
        ModelCard.of(CLASSES, SIZE, Views.PLAIN, PixelFormat.of(PixelFormat.Order.RGB, 1))
            .method("SPD")
            .backbone("tiny")
            .confidence(confidence);
    ImageClassifier.save(net(), card, file);
    return file;
  }

  /** The same without the end of its backbone: it cannot explain. */
  static Path writeWithoutCut(Path file) {
    PixelFormat pixels = PixelFormat.of(PixelFormat.Order.RGB, 1);
    ComputationGraph net = SmallClassifier.unmarked(net());
    ImageClassifier.save(net, ModelCard.of(CLASSES, SIZE, Views.PLAIN, pixels), file);
    return file;
  }

  /** The same with weights so large that no answer is finite. */
  static Path writeOverflowing(Path file) {
    PixelFormat pixels = PixelFormat.of(PixelFormat.Order.RGB, 1);
    ComputationGraph net = net();
    net.params().assign(3e38);
    ImageClassifier.save(net, ModelCard.of(CLASSES, SIZE, Views.PLAIN, pixels), file);
    return file;
  }

  private static ComputationGraph net() {
    ConvolutionLayer maps =
        new ConvolutionLayer.Builder(5, 5).stride(2, 2).nOut(6).activation(Activation.RELU).build();
    return SmallClassifier.net(SIZE, maps, 2);
  }

  /** A picture of stripes with noise, as a PNG file. */
  static byte[] png(int seed) {
    return png(seed, 60, 40);
  }

  static byte[] png(int seed, int width, int height) {
    Random random = new Random(seed);
    int stripe = 2 + random.nextInt(8);
    int tint = random.nextInt(0x1000000);
    BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        boolean dark = (x + seed * y) / stripe % 2 == 0;
        picture.setRGB(x, y, dark ? tint ^ random.nextInt(0x20) : ~tint & 0xffffff);
      }
    }
    return Png.bytes(picture);
  }
}
