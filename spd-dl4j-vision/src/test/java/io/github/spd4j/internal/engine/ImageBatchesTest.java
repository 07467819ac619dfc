/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.testing.Networks;
import io.github.spd4j.train.images.LabelledImages;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;

class ImageBatchesTest {

  private static final int[] ALL = {0, 1, 2, 3, 4, 5, 6, 7};

  /** The image of a number is that number; a variant is ten more. */
  private static LabelledImages images(boolean concurrent, IntConsumer reading) {
    return new LabelledImages() {
      @Override
      public int size() {
        return ALL.length;
      }

      @Override
      public int classes() {
        return 2;
      }

      @Override
      public String name(int index) {
        return "image" + index;
      }

      @Override
      public int label(int index) {
        return index % 2;
      }

      @Override
      public INDArray image(int index) {
        reading.accept(index);
        return Nd4j.valueArrayOf(new long[] {1, 1, 4, 4}, index, DataType.FLOAT);
      }

      @Override
      public INDArray variant(int index, long seed) {
        return image(index).addi(10);
      }

      @Override
      public boolean isConcurrent() {
        return concurrent;
      }
    };
  }

  private static ImageBatches batches(LabelledImages images, boolean variants) {
    ComputationGraph net =
        Networks.plain(
            Networks.general(DataType.FLOAT, new Sgd(0.1)),
            List.of(new GlobalPoolingLayer.Builder().build()),
            InputType.convolutional(4, 4, 1));
    return variants
        ? ImageBatches.ofVariants(images, net, ALL.length)
        : ImageBatches.ofImages(images, net, ALL.length);
  }

  /** Two that wait for each other are read only where two threads read. */
  @Test
  void imagesThatMayBeReadAtTheSameTimeAre() {
    CountDownLatch two = new CountDownLatch(2);
    LabelledImages together =
        images(
            true,
            index -> {
              two.countDown();
              try {
                assertThat(two.await(20, TimeUnit.SECONDS)).as("two readers").isTrue();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    for (boolean variants : new boolean[] {false, true}) {
      INDArray inputs = batches(together, variants).inputs(ALL, 1);
      assertThat(inputs).isEqualTo(batches(images(false, index -> {}), variants).inputs(ALL, 1));
      assertThat(inputs.getDouble(3, 0, 2, 1)).isEqualTo(variants ? 13 : 3);
    }
  }

  @Test
  void othersAreReadByTheThreadThatAsks() {
    Set<Thread> readers = ConcurrentHashMap.newKeySet();
    batches(images(false, index -> readers.add(Thread.currentThread())), false).inputs(ALL, 1);
    assertThat(readers).containsExactly(Thread.currentThread());
  }

  /** Not a copy of it, as a parallel stream would throw, and whoever fails first. */
  @Test
  void theFirstFailureInTheOrderOfTheImagesIsThrown() {
    IllegalStateException third = new IllegalStateException("image3 is damaged");
    LabelledImages damaged =
        images(
            true,
            index -> {
              if (index >= 3) {
                throw index == 3 ? third : new IllegalStateException("another one");
              }
            });
    assertThatThrownBy(() -> batches(damaged, false).inputs(ALL, 1)).isSameAs(third);
    LabelledImages part = damaged.subset(0, 1, 5, 3);
    assertThat(part.isConcurrent()).isTrue();
    assertThatThrownBy(() -> batches(part, false).inputs(new int[] {0, 1, 2, 3}, 1))
        .hasMessage("another one");
  }
}
