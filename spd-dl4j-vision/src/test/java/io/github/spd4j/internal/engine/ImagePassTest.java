/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.train.TinyTask;
import io.github.spd4j.train.TinyTask.Counting;
import io.github.spd4j.train.TinyTask.Told;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.progress.LossAndAccuracy;
import java.util.List;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.optimize.listeners.CollectScoresListener;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.regularization.L2Regularization;

/** What a pass tells engines, and how the engine of this machine makes it. */
class ImagePassTest {

  private static final int[] ORDER = {4, 0, 3, 1, 2};
  private static final long SEED = 77;

  private final ComputationGraph net = TinyTask.net();
  private final LabelledImages images = new Seeded(TinyTask.images(1, 6));
  private final LossAndAccuracy figures = new LossAndAccuracy();
  private final Told told = new Told();

  /** Variants that show their seed. */
  private static final class Seeded extends Counting {
    Seeded(LabelledImages images) {
      super(images);
    }

    @Override
    public INDArray variant(int index, long seed) {
      return Nd4j.valueArrayOf(new long[] {1, 2, 8, 8}, shown(seed), DataType.FLOAT);
    }

    static double shown(long seed) {
      return seed % 1000;
    }
  }

  private ImagePass pass(ImageBatches batches) {
    return new ImagePass(batches, ORDER, SEED, figures, told);
  }

  @Test
  void tellsWhichImagesAreInWhichBatch() {
    ImagePass pass = pass(ImageBatches.ofImages(images, net, 2));
    assertThat(pass.images()).isSameAs(images);
    assertThat(pass.batchSize()).isEqualTo(2);
    assertThat(pass.order()).containsExactly(ORDER);
    pass.order()[0] = 5; // a copy
    assertThat(pass.batches()).containsExactly(new int[] {4, 0}, new int[] {3, 1}, new int[] {2});
    assertThat(pass.labels(4, 0)).isEqualTo(Nd4j.create(new float[][] {{0, 1, 0}, {1, 0, 0}}));
  }

  @Test
  void variantsHaveTheSeedsThatThePassTells() {
    ImageBatches variants = ImageBatches.ofVariants(images, net, 2);
    ImagePass pass = pass(variants);
    assertThat(pass.usesFeatures()).isFalse();
    assertThat(pass.seed(4)).isEqualTo(Seeds.ofImage(SEED, 4)).isNotEqualTo(pass.seed(3));
    INDArray inputs = pass.inputs(4, 3);
    assertThat(inputs.shape()).containsExactly(2, 2, 8, 8);
    assertThat(inputs.getDouble(0, 0, 0, 0)).isEqualTo(Seeded.shown(pass.seed(4)));
    assertThat(inputs.getDouble(1, 1, 7, 7)).isEqualTo(Seeded.shown(pass.seed(3)));
    assertThat(variants.unvaried(4)).isEqualTo(images.image(4));
  }

  @Test
  void featuresStandForTheImages() {
    INDArray features = Nd4j.rand(DataType.DOUBLE, 2, 7);
    ImagePass pass = pass(ImageBatches.ofFeatures(indices -> features, images, net, 2));
    assertThat(pass.usesFeatures()).isTrue();
    assertThat(pass.inputs(1, 2)).isEqualTo(features.castTo(DataType.FLOAT));
  }

  @Test
  void whatIsReportedIsAddedAndTold() {
    double[] loss = new double[2];
    ImagePass pass =
        new ImagePass(
            ImageBatches.ofImages(images, net, 2),
            ORDER,
            SEED,
            figures,
            new Told() {
              @Override
              public void batchDone(int done, double mean, double accuracy) {
                super.batchDone(done, mean, accuracy);
                loss[0] = mean;
                loss[1] = accuracy;
              }
            });
    pass.report(2, 1, 3);
    pass.report(2, 2, 1);
    assertThat(figures.images()).isEqualTo(4);
    assertThat(loss).containsExactly(1, 0.75);
  }

  @Test
  void onThisMachineEachImageIsLearntFromOnceAndListenersStay() {
    CollectScoresListener listener = new CollectScoresListener(1);
    net.setListeners(listener);
    INDArray before = net.params().dup();
    new LocalEngine().train(net, pass(ImageBatches.ofImages(images, net, 2)));
    assertThat(figures.images()).isEqualTo(5);
    assertThat(told.images).isEqualTo(5);
    assertThat(listener.getListScore().size()).isEqualTo(3);
    assertThat(List.copyOf(net.getListeners())).containsExactly(listener);
    assertThat(net.params()).isNotEqualTo(before);
  }

  /** Probabilities may be finite where the loss with its penalty is not. */
  @Test
  void aLossThatIsNotFiniteIsRefused() {
    BaseLayer classifier = (BaseLayer) net.getLayer("out").conf().getLayer();
    classifier.setRegularization(List.of(new L2Regularization(Double.MAX_VALUE)));
    net.getParam("out_W").assign(10);
    ImagePass pass = pass(ImageBatches.ofImages(images, net, 5));
    assertThatThrownBy(() -> new LocalEngine().train(net, pass))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining("the loss of a batch is");
    assertThat(net.getListeners()).isEmpty();
  }
}
