/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Images in memory, and parts of them. */
class InMemoryImagesTest {

  private final INDArray array = Nd4j.rand(DataType.FLOAT, 4, 2, 3, 3);
  private final LabelledImages images = new InMemoryImages(array, new int[] {2, 0, 1, 2}, 5);

  @Test
  void imagesHaveTheirNumbersAsNames() {
    assertThat(images.size()).isEqualTo(4);
    assertThat(images.classes()).isEqualTo(5);
    assertThat(images.name(3)).isEqualTo("3");
    assertThat(images.label(2)).isEqualTo(1);
    assertThat(images.image(1)).isEqualTo(array.slice(1).reshape(1, 2, 3, 3));
    assertThat(images.variant(1, 99)).isEqualTo(images.image(1));
  }

  @Test
  void laterChangesOfTheLabelsDoNotMatter() {
    int[] labels = {0, 1, 2, 3};
    LabelledImages own = new InMemoryImages(array, labels, 5);
    labels[0] = 4;
    assertThat(own.label(0)).isZero();
  }

  @Test
  void refusesAnotherShapeAndAnotherNumberOfLabels() {
    assertThatThrownBy(() -> new InMemoryImages(array.reshape(4, 18), new int[4], 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got [4, 18] and 4 labels");
    assertThatThrownBy(() -> new InMemoryImages(array, new int[3], 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got [4, 2, 3, 3] and 3 labels");
  }

  @Test
  void aPartHasTheImagesOfTheWhole() {
    ImageSubset part = (ImageSubset) images.subset(3, 0);
    assertThat(part.size()).isEqualTo(2);
    assertThat(part.classes()).isEqualTo(5);
    assertThat(part.name(0)).isEqualTo("3");
    assertThat(part.label(0)).isEqualTo(2);
    assertThat(part.image(1)).isEqualTo(images.image(0));
    assertThat(part.whole()).isSameAs(images);
    part.indices()[0] = 1; // a copy
    assertThat(part.indices()).containsExactly(3, 0);
    assertThatThrownBy(() -> images.subset(-1)).hasMessageContaining("from 0 to 3, got -1");
    assertThatThrownBy(() -> images.subset(4)).hasMessageContaining("from 0 to 3, got 4");
  }
}
