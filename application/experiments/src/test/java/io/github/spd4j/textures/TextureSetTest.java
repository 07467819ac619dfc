/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.api.iterator.DataSetIterator;
import org.nd4j.linalg.factory.Nd4j;

class TextureSetTest {

  private static final int CLASSES = TextureClass.values().length;
  private static final TextureSet SET = TextureSet.generate(10, 32, 42);

  /** A fingerprint of each image that is left. */
  private static List<Integer> images(DataSetIterator iterator) {
    List<Integer> images = new ArrayList<>();
    while (iterator.hasNext()) {
      images.addAll(images(iterator.next()));
    }
    return images;
  }

  private static List<Integer> images(DataSet data) {
    float[][] rows = data.getFeatures().reshape(data.numExamples(), -1).toFloatMatrix();
    return Arrays.stream(rows).map(Arrays::hashCode).collect(Collectors.toList());
  }

  @Test
  void threeFifthsAreToTrainOn() {
    assertThat(SET.count(Split.TRAIN)).isEqualTo(6 * CLASSES);
    assertThat(SET.count(Split.VALIDATION)).isEqualTo(2 * CLASSES);
    assertThat(SET.count(Split.TEST)).isEqualTo(2 * CLASSES);
  }

  @ParameterizedTest
  @EnumSource
  void splitsAreBalanced(Split split) {
    DataSet data = SET.dataSet(split);
    int count = SET.count(split);
    assertThat(data.getFeatures().shape()).containsExactly(count, 3, 32, 32);
    assertThat(data.getFeatures().dataType()).isEqualTo(DataType.FLOAT);
    assertThat(data.getLabels().shape()).containsExactly(count, CLASSES);
    assertThat(data.getLabelNamesList()).isEqualTo(TextureSet.labels());
    assertThat(data.getLabels().sum(1).toFloatVector()).containsOnly(1);
    assertThat(data.getLabels().sum(0).toFloatVector()).containsOnly(count / CLASSES);
  }

  @Test
  void noImageIsThereTwice() {
    List<Integer> all = new ArrayList<>();
    for (Split split : Split.values()) {
      all.addAll(images(SET.iterator(split, 7)));
    }
    assertThat(all).hasSize(10 * CLASSES).doesNotHaveDuplicates();
  }

  @Test
  void theSameSeedGivesTheSameSetAndALargerSetBeginsWithIt() {
    TextureSet same = TextureSet.generate(10, 32, 42);
    assertThat(same.dataSet(Split.TRAIN).getFeatures())
        .isEqualTo(SET.dataSet(Split.TRAIN).getFeatures());
    TextureSet larger = TextureSet.generate(7, 3, 3, 32, 42);
    for (int k = 0; k < SET.count(Split.TEST); k++) {
      assertThat(larger.image(Split.TEST, k)).isDeepEqualTo(SET.image(Split.TEST, k));
    }
    TextureSet other = TextureSet.generate(10, 32, 43);
    assertThat(other.dataSet(Split.TRAIN).getFeatures())
        .isNotEqualTo(SET.dataSet(Split.TRAIN).getFeatures());
  }

  @Test
  void examplesAreWhatTheGeneratorMakes() {
    int index = CLASSES + TextureClass.WOVEN.ordinal();
    assertThat(TextureSet.textureOf(index)).isEqualTo(TextureClass.WOVEN);
    long seed = TextureSet.imageSeed(42, Split.VALIDATION, TextureClass.WOVEN, 1);
    float[][][] expected = new TextureGenerator(32).generate(TextureClass.WOVEN, seed);
    assertThat(SET.image(Split.VALIDATION, index)).isDeepEqualTo(expected);
    DataSet validation = SET.dataSet(Split.VALIDATION);
    assertThat(validation.getFeatures().slice(index)).isEqualTo(Nd4j.createFromArray(expected));
    assertThat(validation.getLabels().getInt(index, TextureClass.WOVEN.ordinal())).isEqualTo(1);
  }

  @Test
  void aPassGoesThroughAllImagesInOrder() {
    DataSetIterator iterator = SET.iterator(Split.TRAIN, 40);
    assertThat(images(iterator)).isEqualTo(images(SET.dataSet(Split.TRAIN)));
    iterator.reset();
    assertThat(images(iterator)).isEqualTo(images(SET.dataSet(Split.TRAIN)));
    assertThat(iterator.getLabels()).startsWith("banded").endsWith("zigzagged");
  }

  @Test
  void aShuffledIteratorHasANewOrderAfterEachReset() {
    DataSetIterator iterator = SET.shuffled(Split.TEST, 5, 1);
    List<Integer> first = images(iterator);
    iterator.reset();
    List<Integer> second = images(iterator);
    assertThat(first).containsExactlyInAnyOrderElementsOf(images(SET.dataSet(Split.TEST)));
    assertThat(second).containsExactlyInAnyOrderElementsOf(first).isNotEqualTo(first);
    assertThat(images(SET.shuffled(Split.TEST, 5, 1))).isEqualTo(first);
    assertThat(images(SET.shuffled(Split.TEST, 5, 2))).isNotEqualTo(first);
  }

  @Test
  void aShuffledExampleKeepsItsLabel() {
    DataSet batch = SET.shuffled(Split.TEST, SET.count(Split.TEST), 9).next();
    List<Integer> inOrder = images(SET.dataSet(Split.TEST));
    int[] labels = batch.getLabels().argMax(1).toIntVector();
    List<Integer> images = images(batch);
    for (int k = 0; k < labels.length; k++) {
      int index = inOrder.indexOf(images.get(k));
      assertThat(labels[k]).isEqualTo(TextureSet.textureOf(index).ordinal());
    }
  }

  @Test
  void emptySplitsAndBatchesAreRefused() {
    assertThatThrownBy(() -> TextureSet.generate(2, 32, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got [0, 1, 1]");
    assertThatThrownBy(() -> SET.iterator(Split.TEST, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 1, got 0");
  }
}
