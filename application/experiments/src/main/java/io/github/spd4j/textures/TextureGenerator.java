/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import java.util.Objects;

/**
 * Makes images of textures.
 *
 * <p>The pattern of a class is drawn on a plane that is rotated by any angle, scaled by a factor of
 * up to 2.5, moved and warped. Its heights become tones by their ranks, so that the histogram of an
 * image does not depend on its class. The tones become two colours, the figure the brighter or the
 * darker of them, under a light that falls off to one side, with noise; and each colour channel is
 * brought to a mean and a standard deviation that are drawn without regard to the class. What is
 * left to tell the class is the spatial structure alone.
 *
 * <p>An image is a function of its class, size and seed: the same bytes on every JVM. One seed
 * gives the same plane, tones, colours, light and noise in every class. A generator has no state
 * and may be used by several threads.
 *
 * @param size height and width of its images in pixels
 */
public record TextureGenerator(int size) {

  /** The size of an image where none is given. */
  public static final int DEFAULT_SIZE = 48;

  /** The smallest size in which the finest patterns are still resolved. */
  public static final int SMALLEST_SIZE = 32;

  /** A generator of images of the default size. */
  public TextureGenerator() {
    this(DEFAULT_SIZE);
  }

  /**
   * A generator of images of a size. Larger images show the same section of the plane more finely.
   *
   * @param size height and width in pixels, at least {@link #SMALLEST_SIZE}
   */
  public TextureGenerator {
    if (size < SMALLEST_SIZE) {
      throw new IllegalArgumentException(
          "a TextureGenerator needs a size of at least " + SMALLEST_SIZE + ", got " + size);
    }
  }

  /**
   * Makes an image.
   *
   * @param texture its class
   * @param seed decides all that the class leaves open
   * @return a new array [3][size][size]: red, green, blue, with values in [−1, 1]
   */
  public float[][][] generate(TextureClass texture, long seed) {
    Objects.requireNonNull(texture, "texture");
    Dice dice = new Dice(seed);
    Pattern pattern = texture.pattern(dice.child(0));
    Plane plane = new Plane(dice.child(1), size);
    Tone tone = new Tone(dice.child(2));
    Blur blur = new Blur(dice.child(3).between(0.45, 0.9));
    double[] sharp = tone.of(plane.sample(pattern));
    // Ranked once more: a blur takes more from fine patterns than from coarse ones.
    double[] tones = tone.of(blur.of(sharp, size));
    return new Exposure(dice.child(4)).of(tones, size);
  }
}
