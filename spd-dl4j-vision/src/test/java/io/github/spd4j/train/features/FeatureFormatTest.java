/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** How features lie in a file: what is read back, and what is refused. */
class FeatureFormatTest {

  private static final int VERSION_AT = 8;
  private static final int RANK_AT = 48;
  private static final byte[] KEY = "0123456789abcdef0123456789ABCDEF".getBytes(US_ASCII);

  private static byte[] header(long... shape) {
    return new FeatureFormat(KEY, 9, shape).header();
  }

  private static byte[] changed(byte[] header, int at, int number) {
    ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).putInt(at, number);
    return header;
  }

  @Test
  void shapesOfEveryRankAreReadBack() throws IOException {
    for (long[] shape : List.of(new long[] {7}, new long[] {5, 6, 4}, new long[8])) {
      FeatureFormat read = FeatureFormat.read(header(shape), KEY, 9).orElseThrow();
      assertThat(read.shape()).isEqualTo(shape);
    }
    assertThat(header(new long[8])).hasSize(FeatureFormat.mostHeaderBytes());
  }

  @Test
  void anUnfinishedHeaderIsNoHeader() throws IOException {
    byte[] header = header(5, 6);
    for (int length : new int[] {0, 51, 52, header.length - 1}) {
      assertThat(FeatureFormat.read(Arrays.copyOf(header, length), KEY, 9)).isEmpty();
    }
    assertThat(FeatureFormat.read(header, KEY, 9)).isPresent();
  }

  @Test
  void anotherFormatIsRefused() {
    String expected = "it is not a feature file of version 1";
    for (byte[] header :
        List.of(
            changed(header(5), RANK_AT, 0),
            changed(header(new long[8]), RANK_AT, 9),
            changed(header(5), VERSION_AT, 2),
            changed(header(5), 0, 0))) {
      assertThatThrownBy(() -> FeatureFormat.read(header, KEY, 9))
          .isInstanceOf(IOException.class)
          .hasMessage(expected);
    }
  }

  @Test
  void anotherKeyOrNumberOfImagesIsRefused() {
    String expected = "it belongs to another backbone, cut or set of images";
    assertThatThrownBy(() -> FeatureFormat.read(header(5), new byte[32], 9)).hasMessage(expected);
    assertThatThrownBy(() -> FeatureFormat.read(header(5), KEY, 8)).hasMessage(expected);
  }

  @Test
  void recordsAreReadBack() throws IOException {
    FeatureFormat format = new FeatureFormat(KEY, 9, 2, 3);
    INDArray batch = Nd4j.rand(DataType.FLOAT, 4, 2, 3);
    byte[] bytes = format.records(0, batch);
    assertThat(format.recordBytes()).isEqualTo(4 * 6 + 4);
    assertThat(bytes).hasSize(4 * format.recordBytes());
    assertThat(format.position(2)).isEqualTo(52 + 2 * 8 + 4 + 2 * format.recordBytes());
    byte[] third = Arrays.copyOfRange(bytes, 2 * 28, 3 * 28);
    assertThat(format.batch(List.of(format.features(third, 2))))
        .isEqualTo(batch.slice(2).reshape(1, 2, 3));
    third[5]++;
    assertThatThrownBy(() -> format.features(third, 2))
        .hasMessageStartingWith("record 2 is damaged");
  }

  @Test
  void aRecordInAnothersPlaceIsNoticed() throws IOException {
    FeatureFormat format = new FeatureFormat(KEY, 9, 6);
    byte[] bytes = format.records(5, Nd4j.rand(DataType.FLOAT, 2, 6));
    byte[] sixth = Arrays.copyOf(bytes, 28);
    assertThat(format.features(sixth, 5)).hasSize(6);
    assertThatThrownBy(() -> format.features(sixth, 6)).hasMessageContaining("is damaged");
    FeatureFormat other = new FeatureFormat(new byte[32], 9, 6);
    assertThatThrownBy(() -> other.features(sixth, 5)).hasMessageContaining("is damaged");
  }

  @Test
  void noFlippedBitOfAHeaderIsUsed() {
    byte[] header = header(5, 6);
    for (int bit = 0; bit < 8 * header.length; bit++) {
      byte[] damaged = header.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      try {
        assertThat(FeatureFormat.read(damaged, KEY, 9)).as("bit " + bit).isEmpty();
      } catch (IOException e) {
        assertThat(e).hasMessageStartingWith("it");
      }
    }
  }
}
