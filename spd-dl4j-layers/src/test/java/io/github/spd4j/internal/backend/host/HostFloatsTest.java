/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.backend.MatrixStack;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

@Tag("once")
class HostFloatsTest {

  private static final int LENGTH = 1 << 20;

  @BeforeEach
  void onlyOnTheCpu() {
    assumeTrue(HostFloats.isPossible(Nd4j.create(DataType.FLOAT, 1)));
  }

  @Test
  void readsWhatItWrote() {
    INDArray array = Nd4j.zeros(DataType.FLOAT, 2, 3);
    HostFloats numbers = new HostFloats(array);
    numbers.write(new float[] {1, 2}, 3, 2);
    assertThat(array).isEqualTo(Nd4j.createFromArray(new float[][] {{0, 0, 0}, {1, 2, 0}}));
    float[] read = new float[3];
    numbers.read(2, read, 3);
    assertThat(read).containsExactly(0, 1, 2);
  }

  @Test
  void anArrayThatIsDenseIsNotCopied() {
    INDArray matrices = Nd4j.zeros(DataType.FLOAT, 2, 1, 3, 3);
    assertThat(MatrixStack.inOrder(matrices)).isSameAs(matrices);
    assertThat(MatrixStack.inOrder(matrices.permute(0, 1, 3, 2))).isNotSameAs(matrices);
  }

  /** Nobody else knows the array, and ND4J frees the memory of arrays that are collected. */
  @Test
  void theMemoryStaysWhileItIsRead() throws InterruptedException {
    HostFloats numbers = new HostFloats(Nd4j.ones(DataType.FLOAT, LENGTH));
    for (int i = 0; i < 10; i++) {
      System.gc();
      Thread.sleep(20); // for ND4J's own thread
      assertThat(Nd4j.valueArrayOf(new long[] {LENGTH}, 7f, DataType.FLOAT).length())
          .isEqualTo(LENGTH);
    }
    float[] read = new float[LENGTH];
    numbers.read(0, read, LENGTH);
    for (float number : read) {
      assertThat(number == 1).isTrue();
    }
  }
}
