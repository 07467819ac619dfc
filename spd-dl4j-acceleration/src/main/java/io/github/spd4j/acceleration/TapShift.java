/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.backend.MatrixStack;

/** Where a tap of a kernel reads: so many rows and columns further on, as far as the image goes. */
final class TapShift {

  /** The tap, counted row by row. */
  final int tap;

  /** Columns that the tap is right of the kernel's centre. */
  final int columns;

  private final int rows;
  private final int width;
  private final int places;

  /**
   * The shift of a tap.
   *
   * @param c a convolution that keeps the size of the image
   * @param tap counted row by row
   */
  TapShift(Convolution c, int tap) {
    this(
        tap,
        tap / c.kernelWidth - c.padTop,
        tap % c.kernelWidth - c.padLeft,
        c.width,
        c.height * c.width);
  }

  private TapShift(int tap, int rows, int columns, int width, int places) {
    this.tap = tap;
    this.rows = rows;
    this.columns = columns;
    this.width = width;
    this.places = places;
  }

  /** The way back. */
  TapShift reversed() {
    return new TapShift(tap, -rows, -columns, width, places);
  }

  private int distance() {
    return rows * width;
  }

  /** Whether any place of the image is reached. */
  boolean isWithin() {
    return Math.abs(distance()) < places && Math.abs(columns) < width;
  }

  /** The rows that are read, of images that are moved by the columns. */
  MatrixStack source(MatrixStack maps) {
    return maps.columns(Math.max(0, distance()), places + Math.min(0, distance()));
  }

  /** The rows that they are read for. */
  MatrixStack target(MatrixStack maps) {
    return reversed().source(maps);
  }
}
