/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.models;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** What is written is what DL4J itself writes and reads. */
class StoredVectorTest {

  @Test
  void writesTheBytesOfNd4j() throws IOException {
    Nd4j.getRandom().setSeed(3);
    INDArray wide = Nd4j.randn(DataType.FLOAT, 7, 5);
    INDArray[] arrays = {
      Nd4j.randn(DataType.FLOAT, 1),
      Nd4j.randn(DataType.FLOAT, 1, 40_000),
      Nd4j.randn(DataType.FLOAT, 16_384),
      Nd4j.randn(DataType.DOUBLE, 1, 9),
      Nd4j.createFromArray(Float.NaN, -0f, Float.MIN_VALUE, Float.NEGATIVE_INFINITY),
      wide,
      wide.dup('f'),
      wide.getRow(3),
      wide.getColumn(2),
      wide.get(NDArrayIndex.interval(1, 3), NDArrayIndex.all()),
    };
    for (INDArray array : arrays) {
      ByteArrayOutputStream expected = new ByteArrayOutputStream();
      Nd4j.write(array, new DataOutputStream(expected));
      ByteArrayOutputStream actual = new ByteArrayOutputStream();
      StoredVector.write(array, new DataOutputStream(actual));
      assertThat(actual.toByteArray()).isEqualTo(expected.toByteArray());
    }
  }
}
