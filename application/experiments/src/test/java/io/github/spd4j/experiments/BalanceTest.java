/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.images.LabelledImages;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

@Tag("once")
class BalanceTest {

  private static LabelledImages images(int... labels) {
    return new InMemoryImages(Nd4j.zeros(DataType.FLOAT, labels.length, 1, 2, 2), labels, 3);
  }

  /** Seven images of class 0, three of class 1, one of class 2: seven of each. */
  @Test
  void eachClassHasAsManyImagesAsTheLargest() {
    LabelledImages balanced = Balance.of(images(0, 1, 0, 0, 2, 0, 1, 0, 0, 1, 0));
    int[] pictures = IntStream.range(0, balanced.size()).map(balanced::picture).toArray();
    assertThat(pictures)
        .containsExactly(0, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 5, 6, 6, 7, 8, 9, 9, 10);
    assertThat(balanced.label(20)).isZero();
  }

  @Test
  void equalClassesStayAsTheyAre() {
    LabelledImages balanced = Balance.of(images(0, 1, 2, 2, 0, 1));
    assertThat(IntStream.range(0, 6).map(balanced::picture)).containsExactly(0, 1, 2, 3, 4, 5);
    assertThat(Balance.of(images(0, 0, 2)).size()).isEqualTo(4); // a class may have none
  }
}
