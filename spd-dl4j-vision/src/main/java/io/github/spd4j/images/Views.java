/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import java.util.List;

/** Which parts of an image the network sees. */
public enum Views {

  /** The whole image, resized to a square without regard to its proportions. */
  PLAIN(0, List.of(View.WHOLE)),

  /** The whole image and its mirror image, for things that may face either way. */
  MIRRORED(0, List.of(View.WHOLE, View.MIRROR)),

  /** Crops from the centre and the four corners, as the paper tests on textures. */
  FIVE_CROPS(0, View.CROPS),

  /** Ten crops from random places, centre and corners, as the paper trains on textures. */
  FIFTEEN_CROPS(10, View.CROPS);

  private final int random;
  private final List<View> fixed;

  Views(int random, List<View> fixed) {
    this.random = random;
    this.fixed = fixed;
  }

  /**
   * How many views there are of each image.
   *
   * @return 1, 2, 5 or 15
   */
  public int count() {
    return random + fixed.size();
  }

  /**
   * Whether each view shows the whole image.
   *
   * @return false for crops
   */
  public boolean areWhole() {
    return fixed.contains(View.WHOLE);
  }

  /**
   * Whether some views depend on a seed.
   *
   * @return true for those with random crops
   */
  public boolean isRandom() {
    return random > 0;
  }

  /**
   * A view by its number: the whole, then its mirror image; or the random crops first, then the
   * centre, then the corners.
   *
   * @param number 0 … count − 1
   * @param image the image's name, which random views depend on
   * @param seed decides where random views lie
   * @return the view
   */
  public View view(int number, String image, long seed) {
    return number < random ? View.random(number, image, seed) : fixed.get(number - random);
  }

  /**
   * The image in the size that views of it are cut from: the whole is resized to the view itself;
   * crops of 224 are taken from a short side of 256, others in proportion.
   *
   * @param image the image
   * @param size height and width of the views
   * @return the resized image
   */
  public Pixels canvas(Pixels image, int size) {
    if (areWhole()) {
      return image.resize(size, size);
    }
    double scale = (double) roomy(size) / Math.min(image.height(), image.width());
    int height = (int) Math.round(scale * image.height());
    return image.resize(height, (int) Math.round(scale * image.width()));
  }

  /**
   * The side of which a view is seven eighths.
   *
   * @param size the side of the view, such as 224
   * @return the side of the whole, such as 256
   */
  public static int roomy(int size) {
    return Math.round(size * 8 / 7f);
  }
}
