/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;

/**
 * Shows images: arrays [3][height][width] with values in [−1, 1] as pictures. No argument is
 * modified.
 */
public final class TexturePictures {

  private static final int GAP = 2;

  private TexturePictures() {}

  /**
   * Turns an image into a picture; values beyond [−1, 1] are clipped.
   *
   * @param image [3][H][W]
   * @return a picture of W × H pixels
   */
  public static BufferedImage picture(float[][][] image) {
    int height = image[0].length;
    int width = image[0][0].length;
    BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    paint(picture, image, 0, 0);
    return picture;
  }

  /**
   * Lays images out in rows.
   *
   * @param rows images of the same size; rows may differ in length
   * @return one picture of them all, with white gaps
   */
  public static BufferedImage sheet(List<List<float[][][]>> rows) {
    float[][][] first = rows.get(0).get(0);
    int height = first[0].length + GAP;
    int width = first[0][0].length + GAP;
    int columns = rows.stream().mapToInt(List::size).max().orElseThrow();
    int wide = columns * width + GAP;
    int high = rows.size() * height + GAP;
    BufferedImage sheet = new BufferedImage(wide, high, BufferedImage.TYPE_INT_RGB);
    Graphics2D white = sheet.createGraphics();
    white.setColor(Color.WHITE);
    white.fillRect(0, 0, wide, high);
    white.dispose();
    for (int i = 0; i < rows.size(); i++) {
      for (int j = 0; j < rows.get(i).size(); j++) {
        paint(sheet, rows.get(i).get(j), j * width + GAP, i * height + GAP);
      }
    }
    return sheet;
  }

  /**
   * Shows what the classes look like: a row for each, in their order.
   *
   * @param generator what makes the images
   * @param columns images of a class
   * @param seed the seed of the set whose first training images are shown
   * @return one picture of them all
   */
  public static BufferedImage contactSheet(TextureGenerator generator, int columns, long seed) {
    List<List<float[][][]>> rows = new ArrayList<>();
    for (TextureClass texture : TextureClass.values()) {
      List<float[][][]> row = new ArrayList<>();
      for (int k = 0; k < columns; k++) {
        row.add(generator.generate(texture, TextureSet.imageSeed(seed, Split.TRAIN, texture, k)));
      }
      rows.add(row);
    }
    return sheet(rows);
  }

  private static void paint(BufferedImage picture, float[][][] image, int left, int top) {
    for (int y = 0; y < image[0].length; y++) {
      for (int x = 0; x < image[0][y].length; x++) {
        int rgb = level(image[0][y][x]) << 16 | level(image[1][y][x]) << 8 | level(image[2][y][x]);
        picture.setRGB(left + x, top + y, rgb);
      }
    }
  }

  private static int level(float value) {
    return Math.round(255 * Math.max(0, Math.min(1, 0.5f + 0.5f * value)));
  }
}
