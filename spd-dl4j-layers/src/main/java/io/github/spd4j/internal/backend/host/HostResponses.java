/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import java.util.Arrays;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Local response normalisation on the CPU. ND4J's operations go over all maps many times, which
 * took half of the time of GoogLeNet's features; this goes over them once.
 */
public final class HostResponses {

  /** How many places are done at once: few enough for all channels to stay near the processor. */
  private static final int PLACES = 256;

  private final int reach;
  private final float alpha;
  private final double beta;
  private final float k;

  /**
   * A normalisation: {@code x s^−β} with {@code s = k + α Σ x²} over neighbouring channels.
   *
   * @param reach how far the channels are away that count
   * @param alpha α
   * @param beta β
   * @param k k
   */
  public HostResponses(int reach, double alpha, double beta, double k) {
    this.reach = reach;
    this.alpha = (float) alpha;
    this.beta = beta;
    this.k = (float) k;
  }

  /**
   * Normalises FLOAT maps.
   *
   * @param maps x [N, C, …] in C order
   * @param output y
   */
  public void normalize(INDArray maps, INDArray output) {
    HostFloats from = new HostFloats(maps);
    HostFloats to = new HostFloats(output);
    forEachPart(
        maps,
        (tile, start, places) -> {
          tile.read(from, start, places, tile.x);
          scale(tile, places);
          for (int i = 0; i < tile.x.length; i++) {
            tile.x[i] *= tile.scales[i];
          }
          tile.write(to, start, places, tile.x);
        });
  }

  /**
   * The gradient by the maps.
   *
   * @param maps x [N, C, …] in C order
   * @param delta the gradient by the output
   * @param gradient computed
   */
  public void gradient(INDArray maps, INDArray delta, INDArray gradient) {
    HostFloats from = new HostFloats(maps);
    HostFloats above = new HostFloats(delta);
    HostFloats to = new HostFloats(gradient);
    float factor = (float) (-2 * alpha * beta);
    forEachPart(
        maps,
        (tile, start, places) -> {
          tile.read(from, start, places, tile.x);
          scale(tile, places);
          float[] g = tile.squares; // not needed any more
          tile.read(above, start, places, g);
          float[] shares = tile.shares();
          for (int i = 0; i < g.length; i++) {
            shares[i] = g[i] * tile.x[i] * tile.scales[i] / tile.sums[i];
          }
          tile.addNeighbours(shares, reach, places);
          for (int i = 0; i < g.length; i++) {
            g[i] = g[i] * tile.scales[i] + factor * tile.x[i] * tile.sums[i];
          }
          tile.write(to, start, places, g);
        });
  }

  /** s and s^−β of all numbers of a tile. */
  private void scale(Tile tile, int places) {
    float[] sums = tile.sums;
    for (int i = 0; i < sums.length; i++) {
      tile.squares[i] = tile.x[i] * tile.x[i];
    }
    tile.addNeighbours(tile.squares, reach, places);
    for (int i = 0; i < sums.length; i++) {
      sums[i] = k + alpha * sums[i];
    }
    if (beta == 0.75) { // GoogLeNet's and AlexNet's
      for (int i = 0; i < sums.length; i++) {
        float root = (float) Math.sqrt(sums[i]);
        tile.scales[i] = 1 / (root * (float) Math.sqrt(root));
      }
    } else {
      for (int i = 0; i < sums.length; i++) {
        tile.scales[i] = (float) Math.pow(sums[i], -beta);
      }
    }
  }

  /** What is done with some places of an image. */
  private interface Work {
    void on(Tile tile, long start, int places);
  }

  private static void forEachPart(INDArray maps, Work work) {
    int channels = Math.toIntExact(maps.size(1));
    int all = Math.toIntExact(maps.length() / maps.size(0) / channels);
    Workers.share(
        Math.toIntExact(maps.size(0)),
        (worker, first, end) -> {
          Tile tile = new Tile(channels, Math.min(PLACES, all), all);
          for (int image = first; image < end; image++) {
            for (int place = 0; place < all; place += PLACES) {
              long start = (long) image * channels * all + place;
              work.on(tile, start, Math.min(PLACES, all - place));
            }
          }
        });
  }

  /** Some places of all channels, a row for each channel. */
  private static final class Tile {
    private final int channels;
    private final int width;
    private final int pitch;
    private final float[] row;
    private final float[] x;
    private final float[] squares;
    private final float[] sums;
    private final float[] scales;
    private float[] shares;

    Tile(int channels, int width, int pitch) {
      this.channels = channels;
      this.width = width;
      this.pitch = pitch;
      this.row = new float[width];
      this.x = new float[channels * width];
      this.squares = new float[channels * width];
      this.sums = new float[channels * width];
      this.scales = new float[channels * width];
    }

    float[] shares() {
      shares = shares == null ? new float[channels * width] : shares;
      return shares;
    }

    void read(HostFloats numbers, long start, int places, float[] target) {
      for (int c = 0; c < channels; c++) {
        numbers.read(start + (long) c * pitch, row, places);
        System.arraycopy(row, 0, target, c * width, places);
      }
    }

    void write(HostFloats numbers, long start, int places, float[] source) {
      for (int c = 0; c < channels; c++) {
        System.arraycopy(source, c * width, row, 0, places);
        numbers.write(row, start + (long) c * pitch, places);
      }
    }

    /** The sums over the channels that are not farther away than the reach. */
    void addNeighbours(float[] numbers, int reach, int places) {
      Arrays.fill(sums, 0);
      for (int c = 0; c < channels; c++) {
        int last = Math.min(channels - 1, c + reach);
        for (int other = Math.max(0, c - reach); other <= last; other++) {
          add(numbers, other * width, sums, c * width, places);
        }
      }
    }

    private static void add(float[] from, int start, float[] to, int place, int count) {
      for (int i = 0; i < count; i++) {
        to[place + i] += from[start + i];
      }
    }
  }
}
