/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class DescriptorSampleTest {

  /** The numbers first, first + 1, …, one a row. */
  private static INDArray numbers(int first, int count) {
    return Nd4j.arange(first, first + count).reshape(count, 1).castTo(DataType.DOUBLE);
  }

  @Test
  void keepsEverythingThatFits() {
    DescriptorSample sample = new DescriptorSample(10, 1);
    sample.add(numbers(0, 4));
    sample.add(numbers(4, 3));
    assertThat(sample.seen()).isEqualTo(7);
    assertThat(sample.descriptors()).isEqualTo(numbers(0, 7).castTo(DataType.FLOAT));
  }

  @Test
  void keepsWholeDescriptors() {
    DescriptorSample sample = new DescriptorSample(5, 1);
    for (int part = 0; part < 100; part++) {
      INDArray first = numbers(4 * part, 4);
      sample.add(Nd4j.concat(1, first, first.add(0.25), first.neg()));
      INDArray kept = sample.descriptors();
      assertThat(kept.shape()).containsExactly(Math.min(5, 4 * part + 4), 3);
      assertThat(kept.getColumn(1)).isEqualTo(kept.getColumn(0).add(0.25));
      assertThat(kept.getColumn(2)).isEqualTo(kept.getColumn(0).neg());
    }
    assertThat(sample.descriptors().getColumn(0).maxNumber().doubleValue()).isGreaterThan(50);
  }

  /** Of 1000 numbers 100 are kept, 100 times: the mean of all is that of the numbers. */
  @Test
  void eachDescriptorHasTheSameChance() {
    double sum = 0;
    for (int seed = 0; seed < 100; seed++) {
      DescriptorSample sample = new DescriptorSample(100, seed);
      for (int part = 0; part < 10; part++) {
        sample.add(numbers(100 * part, 100));
      }
      assertThat(sample.descriptors().shape()).containsExactly(100, 1);
      sum += sample.descriptors().meanNumber().doubleValue();
    }
    double standardError = 289 / Math.sqrt(100 * 100);
    assertThat(sum / 100).isBetween(499.5 - 4 * standardError, 499.5 + 4 * standardError);
  }

  @Test
  void refusesToKeepNothing() {
    assertThatThrownBy(() -> new DescriptorSample(0, 1)).hasMessageContaining("got 0");
    assertThatThrownBy(() -> new DescriptorSample(1, 1).descriptors())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected at least one descriptor, got none");
  }
}
