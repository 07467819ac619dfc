/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import io.github.spd4j.internal.images.SeededRandom;
import java.util.List;
import java.util.Random;

/**
 * A square part of an image, by where it lies between the top left and the bottom right corner, or
 * the mirror image of one.
 */
public final class View {

  static final View WHOLE = new View("whole", 0.5, 0.5);

  static final View MIRROR = new View("mirror image", 0.5, 0.5, true);

  static final List<View> CROPS =
      List.of(
          new View("centre", 0.5, 0.5),
          new View("top left", 0, 0),
          new View("top right", 0, 1),
          new View("bottom left", 1, 0),
          new View("bottom right", 1, 1));

  private final String name;
  private final double down;
  private final double right;
  private final boolean mirrored;

  private View(String name, double down, double right) {
    this(name, down, right, false);
  }

  private View(String name, double down, double right, boolean mirrored) {
    this.name = name;
    this.down = down;
    this.right = right;
    this.mirrored = mirrored;
  }

  /** A place that depends on the image's name, the number and the seed alone. */
  static View random(int number, String image, long seed) {
    Random random = SeededRandom.of(seed, "crop " + number + " of " + image);
    String name = "random " + number + " of seed " + seed;
    return new View(name, random.nextDouble(), random.nextDouble());
  }

  /**
   * What stands for the place.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * The view of an image, moved by some pixels as far as the image reaches.
   *
   * @param canvas the image, at least as large as the view
   * @param size height and width of the view
   * @param moveDown by how many pixels it lies lower
   * @param moveRight by how many pixels it lies further right
   * @return the view
   */
  public Pixels cut(Pixels canvas, int size, int moveDown, int moveRight) {
    int top = place(down, canvas.height() - size, moveDown);
    int left = place(right, canvas.width() - size, moveRight);
    Pixels part = canvas.crop(top, left, size, size);
    return mirrored ? part.mirrored() : part;
  }

  private static int place(double share, int room, int move) {
    return Math.max(0, Math.min(room, (int) Math.round(share * room) + move));
  }
}
