/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Blocks of rows, and the moments that are summed up from them. */
class MomentsTest {

  @ParameterizedTest
  @CsvSource({"1, 1", "4095, 1", "4096, 1", "4097, 2", "8192, 2"})
  void blocksAreAllRowsInTheirOrder(int rows, int blocks) {
    INDArray numbers = Nd4j.arange(0, rows).reshape(rows, 1).castTo(DataType.FLOAT);
    List<INDArray> read = new ArrayList<>();
    Blocks.of(
        numbers,
        (first, block) -> {
          assertThat(block.getDouble(0, 0)).isEqualTo(first);
          read.add(block);
        });
    assertThat(read).hasSize(blocks);
    INDArray all = Nd4j.concat(0, read.toArray(new INDArray[0]));
    assertThat(all).isEqualTo(numbers.castTo(DataType.DOUBLE));
  }

  @Test
  void aComponentIsEmptyBelowHalfADescriptor() {
    Moments moments = new Moments(4, 1);
    INDArray shares = Nd4j.createFromArray(new double[][] {{0.5, 0.49, 0, Double.NaN}});
    moments.add(shares, Nd4j.createFromArray(new double[][] {{3}}));
    assertThat(moments.isEmpty(0)).isFalse();
    assertThat(moments.isEmpty(1)).isTrue();
    assertThat(moments.isEmpty(2)).isTrue();
    assertThat(moments.isEmpty(3)).isTrue();
    moments.fill(2, Nd4j.createFromArray(new double[][] {{2}}), Nd4j.ones(DataType.DOUBLE, 1, 1));
    assertThat(moments.isEmpty(2)).isFalse();
    assertThat(moments.means().getDouble(2, 0)).isEqualTo(2);
    assertThat(moments.variances().getDouble(2, 0)).isEqualTo(1);
  }
}
