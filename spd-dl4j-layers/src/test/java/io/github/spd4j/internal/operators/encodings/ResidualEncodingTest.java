/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.encodings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class ResidualEncodingTest {

  /** What memory reports are made of. */
  @Test
  void keepsAsManyNumbersAsItSays() {
    SameDiff sd = SameDiff.create();
    SDVariable descriptors = sd.var("x", Nd4j.randn(DataType.DOUBLE, 1, 5, 2));
    SDVariable codewords = sd.var("c", Nd4j.randn(DataType.DOUBLE, 3, 2));
    SDVariable smoothing = sd.var("s", Nd4j.ones(DataType.DOUBLE, 1, 3));
    ResidualEncoding.define(sd, descriptors, 5, null, codewords, smoothing);
    Map<String, INDArray> kept = sd.output(Map.of(), ResidualEncoding.saved());
    assertThat(ResidualEncoding.savedElements(5, 3))
        .isEqualTo(kept.values().stream().mapToLong(INDArray::length).sum());
  }
}
