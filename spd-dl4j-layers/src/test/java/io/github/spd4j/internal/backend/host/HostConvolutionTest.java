/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.testing.Tolerances;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Convolutions with one and with many blocks of patches, on one and on two threads. */
class HostConvolutionTest {

  private static final int BATCH = 3;
  private static final int CHANNELS = 6;
  private static final int OUTPUTS = 5;
  private static final int HEIGHT = 23;
  private static final int WIDTH = 17;

  private final Random random = new Random(7);
  private int kernel;
  private int stride;
  private int pad;
  private int dilation;
  private int threads;
  private int room;

  @BeforeEach
  void onlyOnTheCpu() {
    assumeTrue(HostFloats.isPossible(Nd4j.create(DataType.FLOAT, 1)));
  }

  private static INDArray random(long... shape) {
    return Nd4j.randn(DataType.FLOAT, shape);
  }

  private int size(int input) {
    return (input + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  }

  private HostConvolution convolution() {
    return new HostConvolution(CHANNELS, OUTPUTS, axis(HEIGHT), axis(WIDTH), threads, room);
  }

  private WindowAxis axis(int input) {
    return new WindowAxis(kernel, stride, pad, dilation, input, size(input));
  }

  private INDArray output() {
    return random(BATCH, OUTPUTS, size(HEIGHT), size(WIDTH));
  }

  private INDArray forward(INDArray images, INDArray weights, float... bias) {
    INDArray output = output();
    convolution().forward(images, weights, bias, output);
    return output;
  }

  private double defined(
      INDArray images, INDArray weights, float[] bias, int n, int channel, int row, int column) {
    double sum = bias[channel];
    for (int c = 0; c < CHANNELS; c++) {
      for (int i = 0; i < kernel; i++) {
        for (int j = 0; j < kernel; j++) {
          int y = row * stride + i * dilation - pad;
          int x = column * stride + j * dilation - pad;
          if (y >= 0 && y < HEIGHT && x >= 0 && x < WIDTH) {
            sum += images.getDouble(n, c, y, x) * weights.getDouble(channel, c, i, j);
          }
        }
      }
    }
    return sum;
  }

  private static double product(INDArray a, INDArray b) {
    INDArray exact = a.castTo(DataType.DOUBLE).muli(b.castTo(DataType.DOUBLE));
    return exact.sumNumber().doubleValue();
  }

  static Stream<Arguments> convolutions() {
    return Stream.of("1 1 0 1", "1 2 0 1", "3 1 1 1", "3 2 1 1", "7 2 3 1", "3 1 2 2", "2 3 4 1")
        .flatMap(
            how ->
                Stream.of(1, 2)
                    .flatMap(
                        threads ->
                            // a row at a time, some rows, all of them
                            Stream.of(1, 5000, 1000000)
                                .map(room -> Arguments.of(how, threads, room))));
  }

  /** Of the gradients, the products with random directions: the output changes by as much. */
  @ParameterizedTest
  @MethodSource("convolutions")
  void areAsDefined(String how, int threads, int room) {
    int[] numbers = Arrays.stream(how.split(" ")).mapToInt(Integer::parseInt).toArray();
    kernel = numbers[0];
    stride = numbers[1];
    pad = numbers[2];
    dilation = numbers[3];
    this.threads = threads;
    this.room = room;
    Nd4j.getRandom().setSeed(11);
    INDArray images = random(BATCH, CHANNELS, HEIGHT, WIDTH);
    INDArray weights = random(OUTPUTS, CHANNELS, kernel, kernel);
    float[] bias = {1, -2, 3, 0, 5};
    INDArray output = forward(images, weights, bias);
    double scale = output.norm2Number().doubleValue() / Math.sqrt(output.length());
    for (int i = 0; i < 200; i++) {
      int n = random.nextInt(BATCH);
      int channel = random.nextInt(OUTPUTS);
      int row = random.nextInt(size(HEIGHT));
      int column = random.nextInt(size(WIDTH));
      assertThat(output.getDouble(n, channel, row, column))
          .isCloseTo(
              defined(images, weights, bias, n, channel, row, column),
              offset(10 * Tolerances.FLOAT_ROUNDING * scale));
    }

    INDArray delta = output();
    float[] none = new float[OUTPUTS];
    INDArray gradient = random(OUTPUTS, CHANNELS, kernel, kernel);
    convolution().weightGradient(images, delta, gradient);
    INDArray direction = random(OUTPUTS, CHANNELS, kernel, kernel);
    assertSame(product(gradient, direction), delta, forward(images, direction, none));

    gradient = random(BATCH, CHANNELS, HEIGHT, WIDTH);
    convolution().inputGradient(weights, delta, gradient);
    direction = random(BATCH, CHANNELS, HEIGHT, WIDTH);
    assertSame(product(gradient, direction), delta, forward(direction, weights, none));
  }

  private static void assertSame(double actual, INDArray delta, INDArray change) {
    double scale = delta.norm2Number().doubleValue() * change.norm2Number().doubleValue();
    assertThat(actual).isCloseTo(product(delta, change), offset(Tolerances.FLOAT_ROUNDING * scale));
  }
}
