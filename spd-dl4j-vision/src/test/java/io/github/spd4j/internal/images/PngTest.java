/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.images;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Pixels;
import io.github.spd4j.internal.files.AtomicFile;
import java.awt.image.BufferedImage;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PngTest {

  @TempDir Path folder;

  @Test
  void photographsComeBackAsTheyWere() throws Exception {
    BufferedImage colours = new BufferedImage(2, 2, BufferedImage.TYPE_INT_RGB);
    int[] rgb = {0x102030, 0xFF0000, 0x00FF00, 0xFFFFFF};
    colours.setRGB(0, 0, 2, 2, rgb, 0, 2);
    Path file = folder.resolve("colours.png");
    AtomicFile.write(file, Png.bytes(colours));
    BufferedImage back = PixelFormat.CAFFE.picture(PixelFormat.CAFFE.array(Pixels.read(file)));
    for (int i = 0; i < rgb.length; i++) {
      assertThat(back.getRGB(i % 2, i / 2) & 0xFFFFFF).isEqualTo(rgb[i]);
    }
  }
}
