/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.encoding.FitProgress;
import io.github.spd4j.encoding.MixtureFit;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.features.Features;
import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.images.IteratorImages;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.deeplearning4j.datasets.iterator.ExistingDataSetIterator;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;

class FisherVectorsTest {

  private static final InputType IMAGE =
      InputType.convolutional(TinyTask.SIZE, TinyTask.SIZE, TinyTask.CHANNELS);

  private static ComputationGraph net() {
    ComputationGraph plain =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Nesterovs(0.01, 0.9)),
            List.of(new FisherVectorLayer.Builder().components(4).dimensions(3).build()),
            IMAGE);
    ComputationGraph net = Backbone.of(plain, TinyTask.CUT).marked();
    net.getLayer("layer0").params().assign(0); // as it is before any fit
    return net;
  }

  @Test
  void fitsTheMixtureToFeaturesOfTheTrainingImages(@TempDir Path directory) throws IOException {
    ComputationGraph net = net();
    INDArray convolution = net.getLayer("conv").params().dup();
    LabelledImages images = TinyTask.images(1, 20);
    assertThatThrownBy(() -> net.outputSingle(images.image(0))).hasMessageContaining("fitted");
    AtomicLong seen = new AtomicLong();
    AtomicLong told = new AtomicLong();
    FitProgress progress =
        new FitProgress() {
          @Override
          public void imagesDone(long done, long descriptors) {
            seen.set(done * 1_000_000 + descriptors);
          }

          @Override
          public void iterationDone(int iteration, double meanLogLikelihood) {
            told.set(iteration);
          }
        };
    MixtureFit fit = FisherVectors.of(net).seed(1).progress(progress).fit(images);
    assertThat(seen).hasValue(20_000_000 + 20 * 36); // a 3×3 convolution leaves 6×6 of 8×8
    assertThat(told).hasValue(fit.logLikelihoods().size());
    INDArray means = net.getParam("layer0_means");
    assertThat(means).isEqualTo(fit.mixture().means().castTo(DataType.FLOAT));
    assertThat(net.getLayer("conv").params()).isEqualTo(convolution);

    File file = directory.resolve("net.zip").toFile();
    ModelSerializer.writeModel(net, file, true);
    ComputationGraph read = ModelSerializer.restoreComputationGraph(file);
    assertThat(read.outputSingle(images.image(3))).isEqualTo(net.outputSingle(images.image(3)));
  }

  @Test
  void imagesAndIteratorsGiveTheSameAndTheSeedDecides() {
    ComputationGraph fromImages = net();
    ComputationGraph fromIterator = net();
    LabelledImages images = TinyTask.images(1, 20);
    FisherVectors.of(fromImages).descriptorsPerComponent(50).seed(3).fit(images);
    INDArray[] all = new INDArray[20];
    for (int i = 0; i < 20; i++) {
      all[i] = images.image(i);
    }
    DataSet data = new DataSet(Nd4j.concat(0, all), Nd4j.zeros(20, 3));
    MixtureFit fit =
        FisherVectors.of(fromIterator)
            .descriptorsPerComponent(50)
            .seed(3)
            .fit(new ExistingDataSetIterator(data.batchBy(7)));
    assertClose(fromIterator.params(), fromImages.params(), 1e-4);
    assertThat(fit.mixture().means().castTo(DataType.FLOAT))
        .isEqualTo(fromIterator.getParam("layer0_means"));
    ComputationGraph other = net();
    FisherVectors.of(other).descriptorsPerComponent(50).seed(4).fit(images);
    assertThat(other.params()).isNotEqualTo(fromImages.params());
  }

  /** More images than one batch has. */
  @Test
  void featuresOfImagesGiveTheSame() {
    LabelledImages images = TinyTask.images(1, 20);
    ComputationGraph fromImages = net();
    FisherVectors.of(fromImages).descriptorsPerComponent(50).seed(3).fit(images);
    ComputationGraph fromFeatures = net();
    AtomicLong done = new AtomicLong();
    FitProgress progress =
        new FitProgress() {
          @Override
          public void imagesDone(long number, long descriptors) {
            done.set(number);
          }
        };
    try (Features features =
        FeatureCache.inMemory().features(fromFeatures, images, 7, new TinyTask.Told())) {
      MixtureFit fit =
          FisherVectors.of(fromFeatures)
              .descriptorsPerComponent(50)
              .seed(3)
              .progress(progress)
              .fit(features);
      assertThat(fit.mixture().means().castTo(DataType.FLOAT))
          .isEqualTo(fromFeatures.getParam("layer0_means"));
    }
    assertThat(done).hasValue(20);
    assertClose(fromFeatures.params(), fromImages.params(), 1e-4);
  }

  @Test
  void aLayerOnTheImagesThemselvesAndAFrozenOneAreFittedToo() {
    ComputationGraph net =
        Networks.plain(
            Networks.general(DataType.FLOAT, new Nesterovs(0.01, 0.9)),
            List.of(new FisherVectorLayer.Builder().components(2).build()),
            IMAGE);
    ComputationGraph frozen =
        new TransferLearning.GraphBuilder(net).setFeatureExtractor("layer0").build();
    FisherVectors.of(net).fit(TinyTask.images(1, 10));
    FisherVectors.of(frozen).fit(TinyTask.images(1, 10));
    assertClose(frozen.getParam("layer0_means"), net.getParam("layer0_means"), FLOAT_ROUNDING);
  }

  /** The classifier in closed form is all that is left to learn: stage one is over at epoch 0. */
  @Test
  void trainsInTwoStages() {
    ComputationGraph net = net();
    FisherVectors.of(net).seed(1).fit(TinyTask.images(1, 24));
    ComputationGraph second = net.clone();
    INDArray fitted = net.getLayer("layer0").params().dup();
    INDArray convolution = net.getLayer("conv").params().dup();
    TinyTask.Told told = new TinyTask.Told();
    TrainingResult result =
        TinyTask.trainer(net, TinyTask.closedForm(2, 1).build()).progress(told).build().train();
    assertThat(told.epochs).extracting(EpochRecord::stage).containsOnlyOnce(Stage.HEAD);
    assertThat(result.bestAccuracy()).isGreaterThan(0.9);
    assertSmall(net.getLayer("layer0").params().distance2(fitted), 0);
    TinyTask.trainer(second, TinyTask.plan(1, 1).keep(KeptWeights.LAST).build()).build().train();
    assertSmall(second.getLayer("layer0").params().distance2(fitted), 0);
    assertThat(second.getLayer("conv").params().distance2(convolution)).isPositive();
  }

  @Test
  void refusesWhatCannotBeFitted() {
    assertThatThrownBy(() -> FisherVectors.of(TinyTask.net()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected a network with one FisherVectorLayer, got 0 []");
    FisherVectors fit = FisherVectors.of(net());
    assertThatThrownBy(() -> fit.descriptorsPerComponent(0)).hasMessageContaining("got 0");
    // zeros: convolutions of other equal numbers may differ in their last bits
    INDArray images = Nd4j.zeros(3, TinyTask.CHANNELS, TinyTask.SIZE, TinyTask.SIZE);
    assertThatThrownBy(() -> fit.fit(new InMemoryImages(images, new int[3], 3)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "FisherVectorLayer 'layer0': cannot be fitted to these images: descriptors:"
                + " expected different ones, got all equal ones");
    assertThatThrownBy(() -> fit.fit(new ExistingDataSetIterator(List.<DataSet>of())))
        .hasMessageContaining("'layer0'")
        .hasMessageContaining("at least one descriptor, got none");
    INDArray labels = Nd4j.eye(3);
    INDArray mask = Nd4j.ones(3, 1);
    for (DataSet masked :
        List.of(new DataSet(images, labels, mask, null), new DataSet(images, labels, null, mask))) {
      ExistingDataSetIterator iterator = new ExistingDataSetIterator(List.of(masked));
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> fit.fit(iterator), () -> new IteratorImages(iterator).close())) {
        assertThatThrownBy(call)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("expected images without masks, got a mask of")
            .hasMessageContaining("train with fit() of the network, which takes masks");
      }
    }
    images.putScalar(5, Double.NaN);
    assertThatThrownBy(() -> fit.fit(new InMemoryImages(images, new int[3], 3)))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining("'layer0'");
  }
}
