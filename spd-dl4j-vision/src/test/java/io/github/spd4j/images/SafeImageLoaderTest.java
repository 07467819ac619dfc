/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.awt.image.BufferedImage;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import javax.imageio.ImageIO;
import org.datavec.image.loader.NativeImageLoader;
import org.datavec.image.transform.FlipImageTransform;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class SafeImageLoaderTest {

  @TempDir Path folder;

  private File file;
  private Pixels pixels;

  /** Stripes of one pixel, brighter to the right. */
  @BeforeEach
  void draw() throws IOException {
    BufferedImage image = new BufferedImage(90, 60, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < 90 * 60; i++) {
      int x = i % 90;
      image.setRGB(x, i / 90, x % 2 == 0 ? 0 : (x << 16 | 2 * x << 8 | 100));
    }
    file = folder.resolve("stripes.png").toFile();
    ImageIO.write(image, "png", file);
    pixels = Pixels.read(file.toPath());
  }

  @Test
  void imagesAreThoseOfPixels() throws IOException {
    SafeImageLoader loader = new SafeImageLoader(20, 30, 3);
    INDArray expected = PixelFormat.of(PixelFormat.Order.BGR, 255).array(pixels.resize(20, 30));
    assertThat(loader.asMatrix(file)).isEqualTo(expected);
    try (InputStream stream = new FileInputStream(file)) {
      assertThat(loader.asMatrix(stream)).isEqualTo(expected);
    }
    INDArray view = Nd4j.create(3, 20, 30);
    loader.asMatrixView(file, view);
    assertThat(view.reshape(1, 3, 20, 30)).isEqualTo(expected);
    assertThat(loader.asMatrix(file, false)).isEqualTo(expected.permute(0, 2, 3, 1));
    assertThat(loader.asImageMatrix(file).getImage()).isEqualTo(expected);
    assertThat(loader.asMatrix(loader.asWritable(file))).isEqualTo(expected);
  }

  @Test
  void greyAndTransformsAreDataVecs() throws IOException {
    assertThat(new SafeImageLoader(20, 30, 1).asMatrix(file).shape()).containsExactly(1, 1, 20, 30);
    INDArray mirrored = new SafeImageLoader(20, 30, 3, new FlipImageTransform(1)).asMatrix(file);
    INDArray expected =
        PixelFormat.of(PixelFormat.Order.BGR, 255).array(pixels.mirrored().resize(20, 30));
    assertThat(mirrored).isEqualTo(expected);
  }

  /** Blue is 0 or 100 in turn, so that a fair small image has 50 everywhere. */
  @Test
  void dataVecAloneMakesOtherPatternsOfStripes() throws IOException {
    INDArray fair = new SafeImageLoader(20, 31, 3).asMatrix(file).slice(0).slice(0).slice(10);
    INDArray other = new NativeImageLoader(20, 31, 3).asMatrix(file).slice(0).slice(0).slice(10);
    assertThat(fair.stdNumber().doubleValue()).isLessThan(8);
    assertThat(fair.meanNumber().doubleValue()).isCloseTo(50, within(2.0));
    assertThat(other.stdNumber().doubleValue()).isGreaterThan(25);
  }

  @Test
  void aTruncatedFileIsRefusedByName() throws IOException {
    byte[] bytes = Files.readAllBytes(file.toPath());
    Files.write(file.toPath(), Arrays.copyOf(bytes, bytes.length / 2));
    assertThatThrownBy(() -> new SafeImageLoader(20, 30, 3).asMatrix(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString());
  }
}
