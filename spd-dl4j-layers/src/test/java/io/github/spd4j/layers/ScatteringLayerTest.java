/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import io.github.spd4j.internal.operators.scattering.Filters;
import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Against the formula, computed with plain loops in double precision. */
@Tag("once")
class ScatteringLayerTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();
  private static final int HEIGHT = 37; // odd, and not square
  private static final int WIDTH = 30;
  private static final int SCALES = 3;
  private static final int DIRECTIONS = 4;
  private static final double CONTRAST = 0.1;

  private static ScatteringLayer.Builder builder() {
    return new ScatteringLayer.Builder()
        .scales(SCALES)
        .directions(DIRECTIONS)
        .contrast(CONTRAST)
        .nIn(3);
  }

  private static INDArray output(ScatteringLayer layer, INDArray images) {
    DataType type = images.dataType();
    NeuralNetConfiguration conf =
        new NeuralNetConfiguration.Builder().dataType(type).layer(layer).build();
    Layer runtime = layer.instantiate(conf, null, 0, null, true, type);
    return runtime.activate(images, false, NO_WORKSPACES);
  }

  private static INDArray images(int number, DataType type) {
    Nd4j.getRandom().setSeed(1);
    return Nd4j.randn(DataType.DOUBLE, number, 3, HEIGHT, WIDTH).castTo(type);
  }

  /** FLOAT runs in the loops of the host, DOUBLE by the definition. */
  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void mapsAreThoseOfTheFormula(DataType type) {
    INDArray images = images(2, type);
    INDArray maps = output(builder().dataFormat(CNN2DFormat.NCHW).build(), images);
    assertThat(maps.shape()).containsExactly(2, 1 + 3 * 4 + 16 * 3, 5, 4);
    double tolerance = type == DataType.FLOAT ? 1e-5 : 1e-13;
    for (int i = 0; i < 2; i++) {
      List<double[][]> expected = scattered(grey(images, i));
      assertThat(expected).hasSize((int) maps.size(1));
      for (int map = 0; map < expected.size(); map++) {
        for (int row = 0; row < 5; row++) {
          for (int column = 0; column < 4; column++) {
            assertThat(maps.getDouble(i, map, row, column))
                .as("image %s, map %s, row %s, column %s", i, map, row, column)
                .isCloseTo(expected.get(map)[row][column], offset(tolerance));
          }
        }
      }
    }
  }

  private static double[][] grey(INDArray images, int image) {
    double[][] grey = new double[HEIGHT][WIDTH];
    for (int row = 0; row < HEIGHT; row++) {
      for (int column = 0; column < WIDTH; column++) {
        for (int channel = 0; channel < 3; channel++) {
          grey[row][column] += images.getDouble(image, channel, row, column) / 3;
        }
      }
    }
    return grey;
  }

  /** Path by path, as the formula reads: no map is used for another path. */
  private static List<double[][]> scattered(double[][] image) {
    List<double[][]> maps = new ArrayList<>();
    maps.add(halved(image, SCALES));
    for (int j = 0; j < SCALES; j++) {
      for (int k = 0; k < DIRECTIONS; k++) {
        maps.add(logarithm(halved(modulus(halved(image, j), k), SCALES - j)));
      }
    }
    for (int m = 1; m < SCALES; m++) {
      for (int j = 0; j < m; j++) {
        for (int k = 0; k < DIRECTIONS; k++) {
          double[][] first = halved(modulus(halved(image, j), k), m - j);
          for (int l = 0; l < DIRECTIONS; l++) {
            maps.add(logarithm(halved(modulus(first, l), SCALES - m)));
          }
        }
      }
    }
    return maps;
  }

  private static double[][] logarithm(double[][] map) {
    double[][] result = new double[map.length][map[0].length];
    for (int row = 0; row < map.length; row++) {
      for (int column = 0; column < map[0].length; column++) {
        result[row][column] = Math.log(1 + map[row][column] / CONTRAST);
      }
    }
    return result;
  }

  private static double[][] modulus(double[][] map, int direction) {
    int radius = Filters.WAVELET_RADIUS;
    double[][] even = Filters.wavelets(DIRECTIONS)[0][direction];
    double[][] odd = Filters.wavelets(DIRECTIONS)[1][direction];
    double[][] result = new double[map.length][map[0].length];
    for (int row = 0; row < map.length; row++) {
      for (int column = 0; column < map[0].length; column++) {
        double real = 0;
        double imaginary = 0;
        for (int y = -radius; y <= radius; y++) {
          for (int x = -radius; x <= radius; x++) {
            double pixel = pixel(map, row + y, column + x);
            real += even[y + radius][x + radius] * pixel;
            imaginary += odd[y + radius][x + radius] * pixel;
          }
        }
        result[row][column] = Math.hypot(real, imaginary);
      }
    }
    return result;
  }

  private static double[][] halved(double[][] map, int times) {
    double[][] result = map;
    for (int i = 0; i < times; i++) {
      result = halved(result);
    }
    return result;
  }

  private static double[][] halved(double[][] map) {
    double[][] result = new double[(map.length + 1) / 2][(map[0].length + 1) / 2];
    for (int row = 0; row < result.length; row++) {
      for (int column = 0; column < result[0].length; column++) {
        double sum = 0;
        for (int y = -3; y <= 3; y++) {
          for (int x = -3; x <= 3; x++) {
            double weight = Math.exp(-(x * x + y * y) / 2.0);
            sum += weight;
            result[row][column] += weight * pixel(map, 2 * row + y, 2 * column + x);
          }
        }
        result[row][column] /= sum;
      }
    }
    return result;
  }

  /** Mirrored beyond the edges: … 1 0 0 1 2 … */
  private static double pixel(double[][] map, int row, int column) {
    return map[mirrored(row, map.length)][mirrored(column, map[0].length)];
  }

  private static int mirrored(int place, int length) {
    if (place < 0) {
      return mirrored(-1 - place, length);
    }
    return place < length ? place : mirrored(2 * length - 1 - place, length);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void channelsMayComeLast(DataType type) {
    INDArray images = images(2, type);
    INDArray first = output(builder().dataFormat(CNN2DFormat.NCHW).build(), images);
    INDArray last =
        output(builder().dataFormat(CNN2DFormat.NHWC).build(), images.permute(0, 2, 3, 1).dup('c'));
    assertThat(last).isEqualTo(first.permute(0, 2, 3, 1));
  }

  /** More images than fit into one part of the definition's memory. */
  @Test
  void aBatchGivesWhatItsImagesGive() {
    Nd4j.getRandom().setSeed(2);
    INDArray images = Nd4j.randn(DataType.DOUBLE, 5, 3, 96, 96);
    ScatteringLayer layer =
        new ScatteringLayer.Builder().nIn(3).dataFormat(CNN2DFormat.NCHW).build();
    INDArray all = output(layer, images);
    for (int i = 0; i < 5; i++) {
      INDArray alone = output(layer, images.get(NDArrayIndex.interval(i, i + 1)).dup());
      assertThat(all.slice(i).distance2(alone.slice(0))).isLessThan(1e-10);
    }
  }

  /** A shift by one place of the output shifts the maps, away from the edges. */
  @Test
  void shiftedImagesHaveShiftedMaps() {
    Nd4j.getRandom().setSeed(3);
    int step = 1 << SCALES;
    INDArray wide = Nd4j.randn(DataType.FLOAT, 1, 3, 160, 160 + step);
    ScatteringLayer layer = builder().dataFormat(CNN2DFormat.NCHW).build();
    INDArray one = output(layer, columns(wide, 0, 160).dup());
    INDArray other = output(layer, columns(wide, step, 160 + step).dup());
    INDArray difference = columns(one, 9, 12).sub(columns(other, 8, 11));
    assertThat(difference.amaxNumber().doubleValue()).isLessThan(1e-5);
    assertThat(columns(one, 9, 12).sub(columns(other, 9, 12)).amaxNumber().doubleValue())
        .as("without the shift")
        .isGreaterThan(0.1);
  }

  private static INDArray columns(INDArray array, int from, int to) {
    return array.get(
        NDArrayIndex.all(),
        NDArrayIndex.all(),
        NDArrayIndex.all(),
        NDArrayIndex.interval(from, to));
  }

  @Test
  void aFlatImageHasItsBrightnessAndNothingElse() {
    INDArray maps =
        output(
            builder().dataFormat(CNN2DFormat.NCHW).build(),
            Nd4j.valueArrayOf(new long[] {1, 3, HEIGHT, WIDTH}, 0.5, DataType.DOUBLE));
    assertThat(maps.tensorAlongDimension(0, 2, 3).sub(0.5).amaxNumber().doubleValue())
        .isLessThan(1e-12);
    INDArray others = maps.get(NDArrayIndex.all(), NDArrayIndex.interval(1, maps.size(1)));
    assertThat(others.amaxNumber().doubleValue()).isLessThan(1e-12);
  }

  @Test
  void refusesWhatItCannotCompute() {
    ScatteringLayer layer = new ScatteringLayer.Builder().build();
    assertThat(layer.getOutputType(0, InputType.convolutional(56, 57, 3)))
        .isEqualTo(InputType.convolutional(4, 4, 417));
    assertThatThrownBy(() -> layer.getOutputType(0, InputType.convolutional(48, 57, 3)))
        .isInstanceOf(DL4JInvalidConfigException.class)
        .hasMessageContaining("at least 56 pixels for 4 scales, got 48 pixels");
    for (DataType type : List.of(DataType.FLOAT, DataType.DOUBLE)) {
      assertThatThrownBy(
              () ->
                  output(builder().scales(4).dataFormat(CNN2DFormat.NCHW).build(), images(1, type)))
          .hasMessageContaining("at least 56 pixels for 4 scales, got 3");
    }
  }
}
