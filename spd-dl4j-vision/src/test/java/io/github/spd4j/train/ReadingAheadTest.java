/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.engine.ImagePass;
import io.github.spd4j.internal.engine.LocalEngine;
import io.github.spd4j.train.TinyTask.Counting;
import io.github.spd4j.train.TinyTask.Told;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.progress.LossAndAccuracy;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** ImageBatches are read while others are computed with; nothing else is different for it. */
@Timeout(120)
class ReadingAheadTest {

  private static final int[] ORDER = IntStream.range(0, 24).map(i -> 5 * i % 24).toArray();

  private final ComputationGraph net = TinyTask.net();
  private final Set<Thread> readers = ConcurrentHashMap.newKeySet();
  private final LabelledImages images = new Watched(TinyTask.images(1, 24));

  /** Random views, in which there is never more than one thread. */
  private class Watched extends Counting {
    private final AtomicInteger inside = new AtomicInteger();

    Watched(LabelledImages images) {
      super(images);
    }

    private <T> T alone(Supplier<T> work) {
      readers.add(Thread.currentThread());
      assertThat(inside.incrementAndGet()).as("threads at a time").isEqualTo(1);
      try {
        Thread.sleep(1); // long enough to be met
        return work.get();
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted", e);
      } finally {
        inside.decrementAndGet();
      }
    }

    @Override
    public String name(int index) {
      return alone(() -> super.name(index));
    }

    @Override
    public int label(int index) {
      return alone(() -> super.label(index));
    }

    @Override
    public INDArray image(int index) {
      return alone(() -> super.image(index));
    }

    @Override
    public INDArray variant(int index, long seed) {
      return image(index).add(new Random(seed).nextGaussian());
    }
  }

  private TrainingPass pass(LabelledImages images, TrainingProgress progress) {
    ImageBatches batches = ImageBatches.ofVariants(images, net, 5);
    return new ImagePass(batches, ORDER, 7, new LossAndAccuracy(), progress);
  }

  @AfterEach
  void noThreadIsLeft() {
    readers.remove(Thread.currentThread());
    assertThat(readers).isNotEmpty().noneMatch(Thread::isAlive);
  }

  /** The network has dropout, so the random numbers must be the same too. */
  @Test
  void weightsAreTheSameToTheBit() {
    TrainingPass pass = pass(images, new Told());
    ComputationGraph inTurns = net.clone();
    Nd4j.getRandom().setSeed(3);
    for (int[] indices : pass.batches()) {
      inTurns.fit(new INDArray[] {pass.inputs(indices)}, new INDArray[] {pass.labels(indices)});
    }
    Nd4j.getRandom().setSeed(3);
    INDArray before = net.params().dup();
    new LocalEngine().train(net, pass);
    assertThat(net.params().data().asFloat())
        .isEqualTo(inTurns.params().data().asFloat())
        .isNotEqualTo(before.data().asFloat());
  }

  /** In both stages, in validation and in the fit of the classifier. */
  @Test
  void imagesAreUsedByOneThreadAtATime() {
    TinyTask.trainer(net, TinyTask.closedForm(1, 1).build())
        .training(images)
        .validation(new Watched(TinyTask.images(2, 12)))
        .build()
        .train();
    INDArray answers = Probabilities.ofImages(net, images, 5, new Told());
    ImageBatches all = ImageBatches.ofImages(images, net, 24);
    INDArray expected = net.outputSingle(false, all.inputs(IntStream.range(0, 24).toArray(), 0));
    assertThat(answers.equalsWithEps(expected, 1e-5)).isTrue();
  }

  @Test
  void aDamagedImageFailsWhenItsBatchIsDue() {
    IllegalStateException damaged = new IllegalStateException("damaged");
    LabelledImages last =
        new Watched(images) {
          @Override
          public INDArray image(int index) {
            if (index == ORDER[17]) {
              throw damaged;
            }
            return super.image(index);
          }
        };
    Told told = new Told();
    assertThatThrownBy(() -> new LocalEngine().train(net, pass(last, told))).isSameAs(damaged);
    assertThat(told.images).isEqualTo(15);
  }

  @Test
  void anInterruptReachesImagesThatHeedIt() {
    Told told =
        new Told() {
          @Override
          public void batchDone(int done, double loss, double accuracy) {
            super.batchDone(done, loss, accuracy);
            Thread.currentThread().interrupt();
          }
        };
    LabelledImages slow =
        new Watched(images) {
          @Override
          public INDArray variant(int index, long seed) {
            for (int i = 0; i < 50; i++) {
              super.name(index);
            }
            return super.variant(index, seed);
          }
        };
    assertThatThrownBy(() -> new LocalEngine().train(net, pass(slow, told)))
        .hasMessage("interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }

  /** While the next batch is read. */
  @Test
  void whoeverFailsLeavesNoThread() {
    IllegalStateException enough = new IllegalStateException("enough");
    Told failing =
        new Told() {
          @Override
          public void batchDone(int done, double loss, double accuracy) {
            throw enough;
          }

          @Override
          public void featuresDone(int done, int total) {
            if (done > 0) {
              throw enough;
            }
          }
        };
    assertThatThrownBy(() -> new LocalEngine().train(net, pass(images, failing))).isSameAs(enough);
    noThreadIsLeft();
    assertThatThrownBy(() -> FeatureCache.inMemory().features(net, images, 5, failing))
        .isSameAs(enough);
    noThreadIsLeft();
    assertThatThrownBy(() -> Probabilities.ofImages(net, images, 5, failing)).isSameAs(enough);
  }
}
