/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.images.Pixels;
import io.github.spd4j.images.Pixels.Oddity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is left of a picture that is made very small: enough to find it again in another size or
 * format.
 *
 * @param width pixels of the picture, of which a very large one has fewer
 * @param height pixels
 * @param bits 64 comparisons of neighbouring places, brighter or darker from left to right
 * @param colours 16×16 pixels of three colours
 * @param oddities what is unusual about how the file stores them
 */
record PictureSketch(int width, int height, long bits, float[] colours, Set<Oddity> oddities) {

  private static final int SIDE = 16;
  private static final int ROWS = 8;

  /** Differences of bits that a picture may have from another one that is nearly the same. */
  private static final int MOST_BITS = 3;

  /** The same, as a mean over places and colours, of 255. */
  private static final double MOST_COLOUR = 6;

  /** Above that a picture has colours. */
  private static final float GREY = 4;

  /** A picture with less variation is a plain area, which many others are like. */
  private static final double PLAIN = 3;

  static PictureSketch of(Path file) throws IOException {
    Pixels pixels = Pixels.read(file);
    float[][] small = pixels.resize(SIDE, SIDE).planes();
    float[] colours = new float[3 * SIDE * SIDE];
    for (int c = 0; c < 3; c++) {
      System.arraycopy(small[c], 0, colours, c * SIDE * SIDE, SIDE * SIDE);
    }
    float[][] rows = pixels.resize(ROWS, ROWS + 1).planes();
    long bits = 0;
    for (int y = 0; y < ROWS; y++) {
      for (int x = 0; x < ROWS; x++) {
        int place = y * (ROWS + 1) + x;
        bits = bits << 1 | (grey(rows, place) < grey(rows, place + 1) ? 1 : 0);
      }
    }
    return new PictureSketch(pixels.width(), pixels.height(), bits, colours, Pixels.oddities(file));
  }

  private static float grey(float[][] planes, int place) {
    return planes[0][place] + planes[1][place] + planes[2][place];
  }

  boolean isGrey() {
    int places = SIDE * SIDE;
    for (int i = 0; i < places; i++) {
      float least = Math.min(colours[i], Math.min(colours[places + i], colours[2 * places + i]));
      float most = Math.max(colours[i], Math.max(colours[places + i], colours[2 * places + i]));
      if (most - least > GREY) {
        return false;
      }
    }
    return true;
  }

  /** Whether there is something to recognise. */
  private boolean isPlain() {
    double sum = 0;
    double squares = 0;
    for (float colour : colours) {
      sum += colour;
      squares += (double) colour * colour;
    }
    double mean = sum / colours.length;
    return squares / colours.length - mean * mean < PLAIN * PLAIN;
  }

  private boolean isLike(PictureSketch other) {
    double sum = 0;
    for (int i = 0; i < colours.length; i++) {
      sum += Math.abs(colours[i] - other.colours[i]);
    }
    return Long.bitCount(bits ^ other.bits) <= MOST_BITS && sum / colours.length <= MOST_COLOUR;
  }

  /**
   * Pairs of pictures that are the same, or nearly. Of the four quarters of 64 bits that differ in
   * three places, one is equal.
   *
   * @return the numbers of both, in order
   */
  static List<int[]> alike(List<PictureSketch> all) {
    List<int[]> pairs = new ArrayList<>();
    Set<Long> known = new HashSet<>();
    for (int quarter = 0; quarter < 4; quarter++) {
      Map<Long, List<Integer>> buckets = new HashMap<>();
      for (int i = 0; i < all.size(); i++) {
        PictureSketch sketch = all.get(i);
        if (sketch.isPlain()) {
          continue;
        }
        long key = sketch.bits >>> 16 * quarter & 0xffff;
        for (int before : buckets.computeIfAbsent(key, k -> new ArrayList<>())) {
          if (sketch.isLike(all.get(before)) && known.add((long) before << 32 | i)) {
            pairs.add(new int[] {before, i});
          }
        }
        buckets.get(key).add(i);
      }
    }
    return pairs;
  }
}
