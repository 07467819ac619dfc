/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.engine.LocalEngine;
import io.github.spd4j.train.TinyTask;
import io.github.spd4j.train.TinyTask.Counting;
import io.github.spd4j.train.TinyTask.Told;
import io.github.spd4j.train.engine.TrainingEngine;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.images.LabelledImages;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Who computes features, and what a cache leaves behind. */
class ComputedFeaturesTest {

  @TempDir Path folder;

  private final ComputationGraph net = TinyTask.net();
  private final Counting images = new Counting(TinyTask.images(3, 10));

  private Features features(FeatureCache cache, LabelledImages set) {
    return cache.features(net, set, 4, new Told());
  }

  /** Remembers from which image on it was asked. */
  private static final class Asked implements TrainingEngine {
    private final List<Integer> firsts = new ArrayList<>();

    @Override
    public Stream<INDArray> features(
        ComputationGraph backbone, LabelledImages images, byte[] key, int first, int batchSize) {
      firsts.add(first);
      return new LocalEngine().features(backbone, images, key, first, batchSize);
    }

    @Override
    public void train(ComputationGraph net, TrainingPass pass) {
      throw new AssertionError("features are not trained");
    }
  }

  /** Also if none is missing: all machines may have to know. */
  @Test
  void anotherEngineIsAskedEveryTime() {
    Asked engine = new Asked();
    FeatureCache cache = FeatureCache.inFolder(folder);
    FeatureCache elsewhere = cache.computedBy(engine);
    INDArray computed;
    try (Features features = features(elsewhere, images)) {
      computed = features.batch(3, 9);
    }
    features(elsewhere, images).close();
    assertThat(engine.firsts).containsExactly(0, 10);
    images.reads = 0;
    try (Features features = features(cache, images)) { // in the same place
      assertThat(features.batch(3, 9)).isEqualTo(computed);
    }
    assertThat(images.reads).isEqualTo(1); // to see the size
    assertThat(engine.firsts).hasSize(2);
  }

  @Test
  void tellsHowFarItIs() {
    List<Integer> done = new ArrayList<>();
    Told told =
        new Told() {
          @Override
          public void featuresDone(int images, int total) {
            assertThat(total).isEqualTo(10);
            done.add(images);
          }
        };
    FeatureCache.inMemory().features(net, images, 4, told).close();
    assertThat(done).containsExactly(0, 4, 8, 10);
  }

  /** What was computed is kept, and nothing is in the way of another try. */
  @Test
  void afterAFailureItCanGoOn() {
    LabelledImages failing =
        new Counting(images) {
          @Override
          public INDArray image(int index) {
            if (index == 5) {
              throw new IllegalStateException("cannot be read");
            }
            return super.image(index);
          }
        };
    FeatureCache cache = FeatureCache.inFolder(folder);
    assertThatThrownBy(() -> features(cache, failing)).hasMessage("cannot be read");
    images.reads = 0;
    features(cache, images).close();
    assertThat(images.reads).isEqualTo(1 + 6); // the first batch of four was kept
  }

  @Test
  void aPartHasTheShapeOfTheWholeAndClosesIt() {
    Features part = features(FeatureCache.inFolder(folder), images.subset(1, 2));
    assertThat(part.shape()).containsExactly(5, 6, 6);
    assertThat(part.batch(1).shape()).containsExactly(1, 5, 6, 6);
    part.close();
    assertThatThrownBy(() -> part.batch(1)).isInstanceOf(UncheckedIOException.class);
  }
}
