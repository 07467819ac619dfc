/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;

import io.github.spd4j.internal.acceleration.Window;
import io.github.spd4j.internal.backend.host.HostFloats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.INDArrayIndex;

/** DL4J would hide a helper that fails, so it is also called directly. */
class ArmConvolutionTest {

  private static final Path STATUS = Path.of("/proc/self/status");
  private static final int[] ONE = {1, 1};
  private static final int[] NONE = {0, 0};

  @BeforeEach
  void onlyOnTheCpu() {
    assumeTrue(HostFloats.isPossible(Nd4j.create(DataType.FLOAT, 1)));
  }

  private static INDArray convolve(INDArray input, INDArray weights, int[] strides) {
    return convolve(input, weights, strides, ConvolutionMode.Truncate);
  }

  private static INDArray convolve(
      INDArray input, INDArray weights, int[] strides, ConvolutionMode mode) {
    return new ArmConvolution()
        .preOutput(
            input,
            weights,
            Nd4j.zeros(input.dataType(), 1, weights.size(0)),
            new int[] {(int) weights.size(2), (int) weights.size(3)},
            strides,
            NONE,
            null,
            null,
            mode,
            ONE,
            CNN2DFormat.NCHW,
            LayerWorkspaceMgr.noWorkspaces());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 5})
  void ofAnImageOfItsOwnSizeIsAProduct(int size) {
    INDArray images = Nd4j.randn(DataType.FLOAT, 2, 3, size, size);
    INDArray weights = Nd4j.randn(DataType.FLOAT, 4, 3, size, size);
    INDArray output = convolve(images, weights, ONE);
    INDArray expected =
        images.reshape(2, 3L * size * size).mmul(weights.reshape(4, 3L * size * size).transpose());
    assertClose(output.reshape(2, 4), expected, FLOAT_ROUNDING);
  }

  @Test
  void leavesOtherTypesToDl4j() {
    INDArray images = Nd4j.randn(DataType.FLOAT, 2, 3, 9, 9);
    INDArray precise = images.castTo(DataType.DOUBLE);
    assertThat(convolve(precise, Nd4j.randn(DataType.DOUBLE, 4, 3, 3, 3), ONE)).isNull();
    assertThat(convolve(images, Nd4j.randn(DataType.DOUBLE, 4, 3, 3, 3), ONE)).isNull();
  }

  /** In mode Same, the places of a stride of 2 are the second, the fourth and so on of all. */
  @ParameterizedTest
  @CsvSource({"1, 2", "2, 1", "2, 2"})
  void computesStridesThatTheLibraryCannotDo(int rows, int columns) {
    INDArray images = Nd4j.randn(DataType.FLOAT, 2, 3, 4, 4);
    INDArray weights = Nd4j.randn(DataType.FLOAT, 4, 3, 3, 3);
    INDArray everywhere = convolve(images, weights, ONE, ConvolutionMode.Same);
    INDArray expected = everywhere.get(all(), all(), places(rows), places(columns));
    INDArray output = convolve(images, weights, new int[] {rows, columns}, ConvolutionMode.Same);
    assertClose(output, expected, FLOAT_ROUNDING);
  }

  private static INDArrayIndex places(int stride) {
    return interval(stride - 1, stride, 4);
  }

  /** ND4J does not give back what some of its operations take, and a training has many steps. */
  @Test
  void theWayBackGivesItsMemoryBack() throws IOException, InterruptedException {
    assumeTrue(Files.exists(STATUS), "only Linux tells");
    INDArray weights = Nd4j.randn(DataType.FLOAT, 256, 256, 3, 3);
    INDArray delta = Nd4j.randn(DataType.FLOAT, 1, 256, 1, 1);
    INDArray input = Nd4j.randn(DataType.FLOAT, 1, 256, 3, 3);
    LayerWorkspaceMgr memory = LayerWorkspaceMgr.noWorkspaces();
    INDArray bias = Nd4j.zeros(DataType.FLOAT, 1, 256);
    int[] kernel = {3, 3};
    Window window = new Window(input, kernel, ONE, NONE, ConvolutionMode.Truncate, ONE);
    Convolution convolution = new Convolution(input, weights, bias, window, memory);
    wayBack(convolution, delta);
    long before = megabytes();
    for (int i = 0; i < 4; i++) {
      wayBack(convolution, delta);
    }
    // 12 MB a step were never given back by way of ND4J's reverse.
    assertThat(megabytes() - before).isLessThan(100);
  }

  private static void wayBack(Convolution convolution, INDArray delta) throws InterruptedException {
    for (int i = 0; i < 5; i++) {
      new ArmConvolution().inputGradient(convolution, delta, convolution.newInput());
    }
    System.gc();
    Thread.sleep(200);
  }

  private static long megabytes() throws IOException {
    return Files.readAllLines(STATUS).stream()
        .filter(line -> line.startsWith("RssAnon"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
        .sum();
  }
}
