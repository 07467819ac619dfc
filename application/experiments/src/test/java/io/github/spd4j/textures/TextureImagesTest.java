/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import static java.util.Collections.nCopies;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.internal.images.Png;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

class TextureImagesTest {

  private static final float[][][] IMAGE = {{{-1, 0, 2}}, {{1, 0, -2}}, {{0, 0, 0}}};

  @Test
  void minusOneIsBlackAndOneIsFullColour() {
    BufferedImage picture = TexturePictures.picture(IMAGE);
    assertThat(picture.getWidth()).isEqualTo(3);
    assertThat(picture.getHeight()).isEqualTo(1);
    assertThat(picture.getRGB(0, 0) & 0xFFFFFF).isEqualTo(0x00FF80);
    assertThat(picture.getRGB(1, 0) & 0xFFFFFF).isEqualTo(0x808080);
    assertThat(picture.getRGB(2, 0) & 0xFFFFFF).isEqualTo(0xFF0080);
  }

  @Test
  void aDataUriHoldsThePicture() throws IOException {
    BufferedImage picture = TexturePictures.picture(IMAGE);
    String prefix = "data:image/png;base64,";
    String uri = Png.dataUri(picture);
    assertThat(uri).startsWith(prefix);
    byte[] bytes = Base64.getDecoder().decode(uri.substring(prefix.length()));
    assertThat(bytes).isEqualTo(Png.bytes(picture));
    BufferedImage read = ImageIO.read(new ByteArrayInputStream(bytes));
    assertThat(read.getRGB(2, 0)).isEqualTo(picture.getRGB(2, 0));
  }

  @Test
  void rowsOfASheetMayDifferInLength() {
    BufferedImage sheet = TexturePictures.sheet(List.of(nCopies(1, IMAGE), nCopies(2, IMAGE)));
    assertThat(sheet.getWidth()).isEqualTo(2 * 5 + 2);
    assertThat(sheet.getHeight()).isEqualTo(2 * 3 + 2);
    assertThat(sheet.getRGB(0, 0) & 0xFFFFFF).isEqualTo(0xFFFFFF);
    assertThat(sheet.getRGB(8, 5) & 0xFFFFFF).isEqualTo(0x808080);
  }

  @Test
  void aContactSheetHasARowForEachClass() {
    BufferedImage sheet = TexturePictures.contactSheet(new TextureGenerator(32), 3, 42);
    assertThat(sheet.getWidth()).isEqualTo(3 * 34 + 2);
    assertThat(sheet.getHeight()).isEqualTo(TextureClass.values().length * 34 + 2);
    float[][][] first = TextureSet.generate(3, 32, 42).image(Split.TRAIN, 0);
    assertThat(sheet.getRGB(2, 2)).isEqualTo(TexturePictures.picture(first).getRGB(0, 0));
  }
}
