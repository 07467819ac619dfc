/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import io.github.spd4j.textures.TextureClass;
import io.github.spd4j.textures.TextureGenerator;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/** Procedural textures as files, in the layout of DTD, and one damaged file. */
final class TextureFolder {

  static final String DAMAGED = "images/banded/damaged.png";

  private TextureFolder() {}

  static void write(Path root, int classes, int perClass, int size) throws IOException {
    TextureGenerator generator = new TextureGenerator(size);
    for (int c = 0; c < classes; c++) {
      TextureClass texture = TextureClass.values()[c];
      Path folder = Files.createDirectories(root.resolve("images").resolve(texture.label()));
      for (int i = 0; i < perClass; i++) {
        float[][][] image = generator.generate(texture, 1000L * c + i);
        ImageIO.write(picture(image), "png", folder.resolve(i + ".png").toFile());
      }
    }
    Path damaged = root.resolve(DAMAGED);
    Files.createDirectories(damaged.getParent());
    Files.writeString(damaged, "no image");
  }

  /** Values are about −1 to 1. */
  private static BufferedImage picture(float[][][] image) {
    int size = image[0].length;
    BufferedImage picture = new BufferedImage(size, size, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < size; y++) {
      for (int x = 0; x < size; x++) {
        int rgb = 0;
        for (int c = 0; c < 3; c++) {
          rgb = rgb << 8 | Math.max(0, Math.min(255, Math.round(127.5f * (image[c][y][x] + 1))));
        }
        picture.setRGB(x, y, rgb);
      }
    }
    return picture;
  }
}
