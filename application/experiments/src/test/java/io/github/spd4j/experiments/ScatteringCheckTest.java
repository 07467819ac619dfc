/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.datasets.ImageFile;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScatteringCheckTest {

  private static final int SIZE = 64;

  @TempDir Path folder;

  private final Random random = new Random(1);

  /** Stripes with noise; those of the second class lie the other way, if at all. */
  private ImageDataSet set(int each, boolean textures) throws IOException {
    List<ImageFile> images = new ArrayList<>();
    for (int i = 0; i < 2 * each; i++) {
      boolean turned = textures && i % 2 == 1;
      BufferedImage picture = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_INT_RGB);
      for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x < SIZE; x++) {
          int grey = ((turned ? x : y) / 4 % 2) * 120 + random.nextInt(100);
          picture.setRGB(x, y, grey * 0x10101);
        }
      }
      Path file = folder.resolve(each + "-" + textures + "-" + i + ".png");
      ImageIO.write(picture, "png", file.toFile());
      images.add(new ImageFile(file, file.getFileName().toString(), i % 2));
    }
    return new ImageDataSet("set", folder, List.of("a", "b"), images);
  }

  @Test
  void texturesAreTakenAndWhatWaveletsCannotTellApartIsRefused() throws IOException {
    ScatteringCheck textures = ScatteringCheck.of(set(10, true), SIZE);
    assertThat(textures.accuracy().orElseThrow()).isGreaterThan(0.95);
    assertThatCode(textures::require).doesNotThrowAnyException();
    assertThatThrownBy(ScatteringCheck.of(set(10, false), SIZE)::require)
        .isInstanceOf(UserException.class)
        .hasMessageContaining("(by chance 50 %)")
        .hasMessageEndingWith("with --backbone scattering");
  }

  @Test
  void tooFewImagesToTellAreRefused() throws IOException {
    assertThatThrownBy(ScatteringCheck.of(set(9, true))::require)
        .isInstanceOf(UserException.class)
        .hasMessageContaining("fewer than 10 pictures of a class")
        .hasMessageEndingWith("with --backbone scattering");
  }
}
