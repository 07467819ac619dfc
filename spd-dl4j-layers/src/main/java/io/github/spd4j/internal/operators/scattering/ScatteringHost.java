/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.scattering;

import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.internal.backend.host.Workers;
import java.util.ArrayList;
import java.util.List;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What {@link ScatteringGraph} defines, for FLOAT arrays in the host's memory, each image on one
 * thread.
 *
 * <p>The real part of a wavelet is even and its imaginary part odd. So the sum and the difference
 * of the two pixels at u and −u serve all directions, and each filter costs half.
 */
public final class ScatteringHost {

  /** Pixels at a time: the sums of all directions stay in the processor's first cache. */
  private static final int BLOCK = 256;

  private static final int RADIUS = Filters.WAVELET_RADIUS;

  private final int scales;
  private final int directions;
  private final float contrast;
  private final float[] blur;

  // The pixels of the upper half of the wavelets: where they are, and their weights by direction.
  private final List<int[]> places = new ArrayList<>();
  private final List<float[]> even = new ArrayList<>();
  private final List<float[]> odd = new ArrayList<>();
  private final float[] middle;

  /**
   * A network.
   *
   * @param scales the number of scales
   * @param directions the number of directions of the wavelets
   * @param contrast what the maps of the orders 1 and 2 are divided by before 1 is added and the
   *     logarithm is taken
   */
  public ScatteringHost(int scales, int directions, double contrast) {
    this.scales = scales;
    this.directions = directions;
    this.contrast = (float) contrast;
    double[] gaussian = Filters.blur();
    this.blur = new float[gaussian.length];
    for (int i = 0; i < blur.length; i++) {
      blur[i] = (float) gaussian[i];
    }
    double[][][][] wavelets = Filters.wavelets(directions);
    this.middle = weights(wavelets[0], 0, 0);
    for (int row = 0; row <= RADIUS; row++) {
      for (int column = row == 0 ? 1 : -RADIUS; column <= RADIUS; column++) {
        if (Filters.isWithinWavelet(row, column)) {
          places.add(new int[] {row, column});
          even.add(weights(wavelets[0], row, column));
          odd.add(weights(wavelets[1], row, column));
        }
      }
    }
  }

  private static float[] weights(double[][][] filters, int row, int column) {
    float[] weights = new float[filters.length];
    for (int l = 0; l < weights.length; l++) {
      weights[l] = (float) filters[l][row + RADIUS][column + RADIUS];
    }
    return weights;
  }

  /**
   * Computes the maps.
   *
   * @param images [N, 1, H, W] in C order
   * @param maps where they go, [N, maps, h, w] in C order
   */
  public void forward(INDArray images, INDArray maps) {
    int height = (int) images.size(2);
    int width = (int) images.size(3);
    HostFloats source = new HostFloats(images);
    HostFloats target = new HostFloats(maps);
    int length = (int) (maps.length() / maps.size(0));
    Workers.share(
        (int) images.size(0),
        (worker, from, to) -> {
          for (int i = from; i < to; i++) {
            float[] pixels = new float[height * width];
            source.read((long) i * pixels.length, pixels, pixels.length);
            target.write(scattered(new Plane(pixels, height, width)), (long) i * length, length);
          }
        });
  }

  private float[] scattered(Plane image) {
    Plane order0 = image;
    List<Plane> order1 = new ArrayList<>();
    List<Plane> order2 = new ArrayList<>();
    for (int scale = 0; scale < scales; scale++) {
      order1.forEach(map -> order2.addAll(moduli(map)));
      order1.addAll(moduli(order0));
      order0 = halved(order0);
      order1.replaceAll(this::halved);
      order2.replaceAll(this::halved);
    }
    int size = order0.pixels.length;
    float[] maps = new float[size * (1 + order1.size() + order2.size())];
    System.arraycopy(order0.pixels, 0, maps, 0, size);
    int to = size;
    for (List<Plane> planes : List.of(order1, order2)) {
      for (Plane plane : planes) {
        for (float value : plane.pixels) {
          maps[to++] = (float) Math.log(1 + value / contrast);
        }
      }
    }
    return maps;
  }

  /** The absolute values of a map's convolutions with the wavelets of all directions. */
  private List<Plane> moduli(Plane map) {
    int stride = map.width + 2 * RADIUS;
    float[] padded = mirrored(map, stride);
    // From the first pixel of the image to the last, the added edges between its rows included.
    int start = RADIUS * stride + RADIUS;
    int length = (map.height - 1) * stride + map.width;
    float[][] moduli = new float[directions][length];
    float[][] real = new float[directions][BLOCK];
    float[][] imaginary = new float[directions][BLOCK];
    float[] sums = new float[BLOCK];
    float[] differences = new float[BLOCK];
    for (int from = 0; from < length; from += BLOCK) {
      int count = Math.min(BLOCK, length - from);
      int at = start + from;
      for (int l = 0; l < directions; l++) {
        first(real[l], imaginary[l], padded, at, middle[l], count);
      }
      for (int p = 0; p < places.size(); p++) {
        int[] place = places.get(p);
        int offset = place[0] * stride + place[1];
        sumAndDifference(padded, at + offset, at - offset, sums, differences, count);
        for (int l = 0; l < directions; l++) {
          add(real[l], even.get(p)[l], sums, count);
          add(imaginary[l], odd.get(p)[l], differences, count);
        }
      }
      for (int l = 0; l < directions; l++) {
        modulus(real[l], imaginary[l], moduli[l], from, count);
      }
    }
    List<Plane> planes = new ArrayList<>();
    for (float[] one : moduli) {
      planes.add(withoutEdges(one, map.height, map.width, stride));
    }
    return planes;
  }

  private static float[] mirrored(Plane map, int stride) {
    float[] padded = new float[(map.height + 2 * RADIUS) * stride];
    for (int row = 0; row < map.height + 2 * RADIUS; row++) {
      int from = Filters.mirrored(row - RADIUS, map.height) * map.width;
      for (int column = 0; column < stride; column++) {
        padded[row * stride + column] =
            map.pixels[from + Filters.mirrored(column - RADIUS, map.width)];
      }
    }
    return padded;
  }

  // Loops of one line each, which the compiler turns into vector instructions.

  private static void first(
      float[] real, float[] imaginary, float[] pixels, int at, float weight, int count) {
    for (int i = 0; i < count; i++) {
      real[i] = weight * pixels[at + i];
      imaginary[i] = 0;
    }
  }

  private static void sumAndDifference(
      float[] pixels, int one, int other, float[] sums, float[] differences, int count) {
    for (int i = 0; i < count; i++) {
      sums[i] = pixels[one + i] + pixels[other + i];
    }
    for (int i = 0; i < count; i++) {
      differences[i] = pixels[one + i] - pixels[other + i];
    }
  }

  private static void add(float[] sum, float weight, float[] values, int count) {
    for (int i = 0; i < count; i++) {
      sum[i] += weight * values[i];
    }
  }

  private static void modulus(float[] real, float[] imaginary, float[] out, int to, int count) {
    for (int i = 0; i < count; i++) {
      out[to + i] = (float) Math.sqrt(real[i] * real[i] + imaginary[i] * imaginary[i]);
    }
  }

  private static Plane withoutEdges(float[] values, int height, int width, int stride) {
    float[] pixels = new float[height * width];
    for (int row = 0; row < height; row++) {
      System.arraycopy(values, row * stride, pixels, row * width, width);
    }
    return new Plane(pixels, height, width);
  }

  /** A map, blurred, half as high and wide. */
  private Plane halved(Plane map) {
    int height = (map.height + 1) / 2;
    int width = (map.width + 1) / 2;
    int radius = blur.length / 2;
    float[] high = new float[height * map.width];
    for (int row = 0; row < height; row++) {
      for (int i = 0; i < blur.length; i++) {
        int from = Filters.mirrored(2 * row + i - radius, map.height) * map.width;
        for (int column = 0; column < map.width; column++) {
          high[row * map.width + column] += blur[i] * map.pixels[from + column];
        }
      }
    }
    float[] pixels = new float[height * width];
    for (int column = 0; column < width; column++) {
      for (int i = 0; i < blur.length; i++) {
        int from = Filters.mirrored(2 * column + i - radius, map.width);
        for (int row = 0; row < height; row++) {
          pixels[row * width + column] += blur[i] * high[row * map.width + from];
        }
      }
    }
    return new Plane(pixels, height, width);
  }

  /** One map, row by row. */
  private static final class Plane {
    final float[] pixels;
    final int height;
    final int width;

    Plane(float[] pixels, int height, int width) {
      this.pixels = pixels;
      this.height = height;
      this.width = width;
    }
  }
}
