/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.acceleration.DeviceLibrary;
import io.github.spd4j.internal.acceleration.Window;
import java.util.Optional;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Convolutions and poolings as anyone would write them down. */
public class LoopConvolutions implements DeviceLibrary {

  private final Rounding rounding;

  /** In FLOAT. */
  public LoopConvolutions() {
    this(null);
  }

  /**
   * With operands that are rounded first.
   *
   * @param rounding or null
   */
  public LoopConvolutions(Rounding rounding) {
    this.rounding = rounding;
  }

  @Override
  public Optional<DeviceLibrary> rounding(Rounding wanted) {
    return Optional.of(new LoopConvolutions(wanted));
  }

  private INDArray rounded(INDArray numbers) {
    if (rounding == null) {
      return numbers;
    }
    int cut = rounding == Rounding.TF32 ? 13 : 16;
    float[] rounded = numbers.dup('c').data().asFloat();
    for (int i = 0; i < rounded.length; i++) {
      int half = 1 << (cut - 1);
      rounded[i] = Float.intBitsToFloat((Float.floatToIntBits(rounded[i]) + half) >> cut << cut);
    }
    return Nd4j.createFromArray(rounded).reshape('c', numbers.shape());
  }

  /** What is done where a tap of the kernel meets a place of the image. */
  private interface Meeting {
    void at(long n, long channel, long row, long column, int i, int j, long y, long x);
  }

  @Override
  public boolean isUsable() {
    return true;
  }

  private static void forEach(INDArray images, Window window, Meeting meeting) {
    for (long n = 0; n < images.size(0); n++) {
      for (long channel = 0; channel < images.size(1); channel++) {
        for (int row = 0; row < window.output(0); row++) {
          for (int column = 0; column < window.output(1); column++) {
            for (int i = 0; i < window.kernel(0); i++) {
              for (int j = 0; j < window.kernel(1); j++) {
                long y = row * window.stride(0) + i * window.dilation(0) - window.pad(0);
                long x = column * window.stride(1) + j * window.dilation(1) - window.pad(1);
                if (y >= 0 && y < images.size(2) && x >= 0 && x < images.size(3)) {
                  meeting.at(n, channel, row, column, i, j, y, x);
                }
              }
            }
          }
        }
      }
    }
  }

  private static void add(INDArray array, double number, long... place) {
    array.putScalar(place, array.getDouble(place) + number);
  }

  @Override
  public void convolve(
      INDArray images,
      INDArray weights,
      INDArray bias,
      Window window,
      boolean rectified,
      INDArray output) {
    output.assign(0);
    convolve(rounded(images), rounded(weights), window, output);
    output.assign(rounding == Rounding.BFLOAT16 ? rounded(output) : output);
    for (long o = 0; o < weights.size(0); o++) {
      output.slice(o, 1).addi(bias.getDouble(o));
    }
    if (rectified) {
      rectify(output);
    }
  }

  private static void convolve(INDArray images, INDArray weights, Window window, INDArray output) {
    for (long o = 0; o < weights.size(0); o++) {
      long out = o;
      forEach(
          images,
          window,
          (n, c, row, column, i, j, y, x) ->
              add(
                  output,
                  weights.getDouble(out, c, i, j) * images.getDouble(n, c, y, x),
                  n,
                  out,
                  row,
                  column));
    }
  }

  @Override
  public void gradients(
      INDArray images,
      INDArray weights,
      INDArray delta,
      Window window,
      INDArray byWeights,
      INDArray byBias,
      INDArray byImages) {
    inputGradient(rounded(weights), rounded(delta), window, byImages);
    weightGradient(rounded(images), rounded(delta), window, byWeights);
    byBias.assign(delta.sum(0, 2, 3).reshape(byBias.shape()));
  }

  private void inputGradient(INDArray weights, INDArray delta, Window window, INDArray gradient) {
    gradient.assign(0);
    for (long o = 0; o < weights.size(0); o++) {
      long out = o;
      forEach(
          gradient,
          window,
          (n, c, row, column, i, j, y, x) ->
              add(
                  gradient,
                  weights.getDouble(out, c, i, j) * delta.getDouble(n, out, row, column),
                  n,
                  c,
                  y,
                  x));
    }
  }

  private void weightGradient(INDArray images, INDArray delta, Window window, INDArray gradient) {
    gradient.assign(0);
    for (long o = 0; o < gradient.size(0); o++) {
      long out = o;
      forEach(
          images,
          window,
          (n, c, row, column, i, j, y, x) ->
              add(
                  gradient,
                  images.getDouble(n, c, y, x) * delta.getDouble(n, out, row, column),
                  out,
                  c,
                  i,
                  j));
    }
  }

  @Override
  public void pool(INDArray images, Window window, boolean max, INDArray output) {
    output.assign(max ? Double.NEGATIVE_INFINITY : 0);
    double share = 1.0 / (window.kernel(0) * window.kernel(1));
    forEach(
        images,
        window,
        (n, c, row, column, i, j, y, x) -> {
          double pixel = images.getDouble(n, c, y, x);
          if (!max) {
            add(output, share * pixel, n, c, row, column);
          } else if (pixel > output.getDouble(n, c, row, column)) {
            output.putScalar(new long[] {n, c, row, column}, pixel);
          }
        });
  }

  @Override
  public void poolGradient(
      INDArray images, INDArray delta, Window window, boolean max, INDArray gradient) {
    INDArray output = delta.ulike();
    pool(images, window, max, output);
    gradient.assign(0);
    double share = 1.0 / (window.kernel(0) * window.kernel(1));
    forEach(
        images,
        window,
        (n, c, row, column, i, j, y, x) -> {
          double d = delta.getDouble(n, c, row, column);
          if (!max) {
            add(gradient, share * d, n, c, y, x);
          } else if (images.getDouble(n, c, y, x) == output.getDouble(n, c, row, column)) {
            add(gradient, d, n, c, y, x);
          }
        });
  }

  @Override
  public void rectify(INDArray values) {
    for (long i = 0; i < values.length(); i++) {
      if (values.getDouble(i) < 0) {
        values.putScalar(i, 0);
      }
    }
  }

  @Override
  public void rectifierGradient(INDArray values, INDArray delta, INDArray gradient) {
    for (long i = 0; i < values.length(); i++) {
      gradient.putScalar(i, values.getDouble(i) > 0 ? delta.getDouble(i) : 0);
    }
  }
}
