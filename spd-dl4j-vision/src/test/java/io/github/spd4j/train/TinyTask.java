/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.layers.StiefelInit;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;

/** Stripes across, stripes down and chequers, and a small network that can learn them. */
public final class TinyTask {

  public static final String CUT = "conv";
  public static final int SIZE = 8;
  public static final int CHANNELS = 2;

  private TinyTask() {}

  public static ComputationGraph net() {
    return net(DataType.FLOAT);
  }

  /** The backbone is "conv"; "layer0" is a 1×1 convolution, "layer2" and "layer3" have a W. */
  public static ComputationGraph net(DataType type) {
    return net(type, Bandwidth.meanDistance());
  }

  /** The same; with a learnt bandwidth "layer1" has one too. */
  public static ComputationGraph net(DataType type, Bandwidth bandwidth) {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(type, new Nesterovs(0.01, 0.9)),
            List.of(
                new ConvolutionLayer.Builder(1, 1).nOut(5).dropOut(0.95).build(),
                new KernelAggregationLayer.Builder().kernel(new RbfKernel(bandwidth)).build(),
                new SpdTransformLayer.Builder().nOut(5).init(StiefelInit.IDENTITY).build(),
                new SpdTransformLayer.Builder().nOut(4).init(StiefelInit.IDENTITY).build(),
                new SpdVectorizationLayer.Builder()
                    .powerFloor(0.1)
                    .l2Normalization(false)
                    .scale(3)
                    .build()),
            InputType.convolutional(SIZE, SIZE, CHANNELS));
    return Backbone.of(net, CUT).marked();
  }

  public static LabelledImages images(long seed, int count) {
    Random random = new Random(seed);
    INDArray images = Nd4j.zeros(DataType.FLOAT, count, CHANNELS, SIZE, SIZE);
    int[] labels = new int[count];
    for (int i = 0; i < count; i++) {
      labels[i] = i % Networks.CLASSES;
      for (int c = 0; c < CHANNELS; c++) {
        for (int y = 0; y < SIZE; y++) {
          for (int x = 0; x < SIZE; x++) {
            int phase = labels[i] == 0 ? y : labels[i] == 1 ? x : x + y;
            double value = (phase % 2) + 0.3 * random.nextGaussian();
            images.putScalar(new int[] {i, c, y, x}, value);
          }
        }
      }
    }
    return new InMemoryImages(images, labels, Networks.CLASSES);
  }

  public static TrainingPlan.Builder plan(int headEpochs, int wholeEpochs) {
    return TrainingPlan.paper().toBuilder()
        .batchSize(8)
        .rates(Stage.HEAD, 0.01)
        .rate(Stage.HEAD, LayerGroup.CLASSIFIER, 0.1)
        .rate(Stage.HEAD, LayerGroup.TRANSFORM, 0.005)
        .rate(Stage.HEAD, LayerGroup.CONVOLUTION, 0.02)
        .rate(Stage.WHOLE, LayerGroup.CLASSIFIER, 0.01)
        .epochs(Stage.HEAD, headEpochs)
        .epochs(Stage.WHOLE, wholeEpochs);
  }

  /** The same with a classifier in closed form. */
  public static TrainingPlan.Builder closedForm(int headEpochs, int wholeEpochs) {
    return TrainingPlan.fitted().toBuilder()
        .batchSize(8)
        .epochs(Stage.HEAD, headEpochs)
        .epochs(Stage.WHOLE, wholeEpochs);
  }

  public static TwoStageTrainer.Builder trainer(ComputationGraph net, TrainingPlan plan) {
    return TwoStageTrainer.builder(net)
        .plan(plan)
        .training(images(1, 24))
        .validation(images(2, 12))
        .progress(new Told());
  }

  /** Remembers what it was told. */
  public static class Told implements TrainingProgress {
    public final List<String> messages = new ArrayList<>();
    public final List<EpochRecord> epochs = new ArrayList<>();
    public final List<Stage> stages = new ArrayList<>();
    public final List<Integer> epochsBefore = new ArrayList<>();
    public int images;

    @Override
    public void stageStarted(Stage stage, int mostEpochs, int imagesPerEpoch) {
      stages.add(stage);
    }

    @Override
    public void stageResumed(int epochsDone) {
      epochsBefore.add(epochsDone);
    }

    @Override
    public void batchDone(int done, double loss, double accuracy) {
      images = done;
    }

    @Override
    public void epochDone(EpochRecord record) {
      epochs.add(record);
    }

    @Override
    public void message(String text) {
      messages.add(text);
    }
  }

  /** Counts how often images are read. */
  public static class Counting implements LabelledImages {
    final LabelledImages images;
    public int reads;

    public Counting(LabelledImages images) {
      this.images = images;
    }

    @Override
    public int size() {
      return images.size();
    }

    @Override
    public int classes() {
      return images.classes();
    }

    @Override
    public String name(int index) {
      return images.name(index);
    }

    @Override
    public int label(int index) {
      return images.label(index);
    }

    @Override
    public INDArray image(int index) {
      reads++;
      return images.image(index);
    }
  }
}
