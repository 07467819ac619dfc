/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.internal.acceleration.DeviceLibrary;
import io.github.spd4j.internal.dl4j.WrappedLayers;
import io.github.spd4j.internal.engine.BackboneAndHead;
import io.github.spd4j.internal.engine.Fingerprint;
import io.github.spd4j.train.TinyTask;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.plan.TrainingPlan;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.deeplearning4j.earlystopping.EarlyStoppingConfiguration;
import org.deeplearning4j.earlystopping.saver.InMemoryModelSaver;
import org.deeplearning4j.earlystopping.scorecalc.DataSetLossCalculator;
import org.deeplearning4j.earlystopping.termination.MaxEpochsTerminationCondition;
import org.deeplearning4j.earlystopping.trainer.EarlyStoppingGraphTrainer;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayerWithBackprop;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.adapter.SingletonDataSetIterator;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;

/** What becomes of an accelerated network in DL4J's hands. */
class KeptAccelerationTest {

  /** Rounding after some epochs. */
  private static final double TRAINED = 1e-3;

  private static ComputationGraph net() {
    return AccelerationTest.net(
        DataType.FLOAT,
        AccelerationTest.conv(3, 1, 1, "Truncate"),
        AccelerationTest.conv(3, 1, 0, "Truncate"));
  }

  private static ComputationGraph accelerated() {
    ComputationGraph net = net();
    Acceleration.applyTo(net, NativeLibrary.ARM_COMPUTE);
    return net;
  }

  private static MultiLayerNetwork sequence() {
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            new NeuralNetConfiguration.Builder()
                .seed(5)
                .updater(new Sgd(0.1))
                .list(
                    AccelerationTest.conv(3, 1, 1, "Truncate").nOut(5).build(),
                    new FrozenLayerWithBackprop(
                        AccelerationTest.conv(3, 1, 1, "Truncate").nIn(5).nOut(4).build()),
                    new GlobalPoolingLayer(PoolingType.AVG),
                    new OutputLayer.Builder().nOut(4).activation(Activation.SOFTMAX).build())
                .setInputType(InputType.convolutional(11, 9, 3))
                .build());
    net.init();
    return net;
  }

  private static DataSet images() {
    return AccelerationTest.images(DataType.FLOAT);
  }

  private static int accelerated(Layer... layers) {
    int count = 0;
    for (Layer layer : layers) {
      if (layer.getHelper() instanceof ArmConvolution) {
        count++;
      }
    }
    return count;
  }

  @Test
  void theCloneOfAGraphHasIt() {
    ComputationGraph plain = net();
    ComputationGraph clone = accelerated().clone().clone();
    assertThat(accelerated(clone.getLayers())).isEqualTo(2);
    AccelerationTest.assertSame(clone, plain, FLOAT_ROUNDING);
    assertThat(plain.clone().getLayer("conv0").getHelper()).isNull();
  }

  @Test
  void aNetworkOfLayersCanBeAcceleratedAndCloned() {
    MultiLayerNetwork plain = sequence();
    MultiLayerNetwork net = sequence();
    Acceleration acceleration = Acceleration.applyTo(net, NativeLibrary.ARM_COMPUTE);
    assertThat(acceleration).hasToString("Arm Compute Library for 2 of 2 convolutions");
    assertThat(Acceleration.isAppliedTo(net)).isTrue();
    assertThat(Acceleration.isAppliedTo(plain)).isFalse();
    MultiLayerNetwork clone = net.clone();
    assertThat(Acceleration.isAppliedTo(clone)).isTrue();
    assertThat(Acceleration.applyTo(clone, NativeLibrary.ARM_COMPUTE).accelerated()).isEqualTo(2);
    DataSet data = images();
    for (int step = 0; step < 3; step++) {
      plain.fit(data);
      net.fit(data);
      clone.fit(data);
    }
    assertClose(net.params(), plain.params(), FLOAT_ROUNDING);
    assertClose(clone.params(), plain.params(), FLOAT_ROUNDING);
    AccelerationTest.assertHelpersDidNotFail(net.getLayers());
    AccelerationTest.assertHelpersDidNotFail(clone.getLayers());
  }

  /** How many convolutions have a helper. */
  private static long accelerated(ComputationGraph net) {
    return Arrays.stream(net.getLayers())
        .map(WrappedLayers::unwrapped)
        .filter(layer -> layer.getHelper() instanceof AbstractConvolutionHelper)
        .count();
  }

  @Test
  void usesWhatTheBackendWasBuiltWith() {
    MultiLayerNetwork net = sequence();
    int expected = NativeLibrary.ofBackend(Precision.FLOAT) == NativeLibrary.NONE ? 0 : 2;
    assertThat(Acceleration.applyTo(net).accelerated()).isEqualTo(expected);
  }

  @Test
  void aCopyInDoublePrecisionHasItNot() {
    ComputationGraph precise = accelerated().convertDataType(DataType.DOUBLE);
    assertThat(Acceleration.isAppliedTo(precise)).isFalse();
    AccelerationTest.assertSame(precise, net().convertDataType(DataType.DOUBLE), ROUNDING);
  }

  /** A frozen layer is wrapped, as a configuration and at run time. */
  @Test
  void frozenLayersHaveIt() {
    ComputationGraph frozen =
        new TransferLearning.GraphBuilder(net()).setFeatureExtractor("conv0").build();
    assertThat(Acceleration.applyTo(frozen, NativeLibrary.ARM_COMPUTE).accelerated()).isEqualTo(2);
    ComputationGraph clone = frozen.clone();
    assertThat(accelerated(clone)).isEqualTo(2);
    assertClose(
        clone.outputSingle(images().getFeatures()),
        net().outputSingle(images().getFeatures()),
        FLOAT_ROUNDING);
  }

  @Test
  void transferLearningKeepsIt() {
    ComputationGraph changed =
        new TransferLearning.GraphBuilder(accelerated())
            .fineTuneConfiguration(
                new FineTuneConfiguration.Builder().updater(new Nesterovs(0.2, 0.9)).build())
            .setFeatureExtractor("conv0")
            .nOutReplace("out", 3, org.deeplearning4j.nn.weights.WeightInit.XAVIER)
            .build();
    assertThat(accelerated(changed)).isEqualTo(2);
    ConvolutionLayer conv = (ConvolutionLayer) changed.getLayer("conv1").conf().getLayer();
    assertThat(conv.getIUpdater()).isEqualTo(new Nesterovs(0.2, 0.9));
  }

  @Test
  void aGraftKeepsItForTheBackbone() {
    ComputationGraph net =
        SpdGraft.onto(Backbone.of(accelerated(), "conv1"))
            .head(Head.spd(3).convolution(4))
            .classes(4)
            .frozenBackbone()
            .build();
    assertThat(accelerated(net)).isEqualTo(2);
    assertThat(Acceleration.applyTo(net, NativeLibrary.ARM_COMPUTE).accelerated()).isEqualTo(3);
    net.fit(images());
    AccelerationTest.assertHelpersDidNotFail(net.getLayers());
  }

  @Test
  void bothPartsOfACutNetworkHaveIt() {
    BackboneAndHead cut = new BackboneAndHead(Backbone.of(accelerated(), "conv0").marked());
    assertThat(accelerated(cut.detachedBackbone().getLayers())).isEqualTo(1);
    assertThat(accelerated(cut.detachedHead().getLayers())).isEqualTo(1);
  }

  @Test
  void theBestNetworkOfEarlyStoppingHasIt() {
    EarlyStoppingConfiguration<ComputationGraph> configuration =
        new EarlyStoppingConfiguration.Builder<ComputationGraph>()
            .epochTerminationConditions(new MaxEpochsTerminationCondition(2))
            .scoreCalculator(
                new DataSetLossCalculator(new SingletonDataSetIterator(images()), true))
            .modelSaver(new InMemoryModelSaver<>())
            .build();
    ComputationGraph best =
        new EarlyStoppingGraphTrainer(
                configuration, accelerated(), new SingletonDataSetIterator(images()))
            .fit()
            .getBestModel();
    assertThat(accelerated(best.getLayers())).isEqualTo(2);
    best.fit(images());
    AccelerationTest.assertHelpersDidNotFail(best.getLayers());
  }

  @Test
  void trainingInTwoStagesKeepsIt(@TempDir Path folder) {
    ComputationGraph plain = TinyTask.net();
    ComputationGraph net = TinyTask.net();
    Acceleration.applyTo(net, NativeLibrary.ARM_COMPUTE);
    FeatureCache cache = FeatureCache.inFolder(folder);
    TinyTask.trainer(plain, TinyTask.plan(2, 1).build()).featureCache(cache).build().train();
    int files = folder.toFile().list().length;
    TinyTask.trainer(net, TinyTask.plan(2, 1).build()).featureCache(cache).build().train();
    assertThat(accelerated(net.getLayers())).isEqualTo(2);
    AccelerationTest.assertHelpersDidNotFail(net.getLayers());
    assertClose(net.params(), plain.params(), TRAINED);
    assertThat(folder.toFile().list()).hasSize(files); // the same features serve both
  }

  /** With plain loops in the place of a card: features in another precision are other features. */
  @Test
  void aPlanHasAPrecisionAndSoHaveFeatures(@TempDir Path folder) {
    Optional<DeviceLibrary> present = NativeLibrary.device;
    NativeLibrary.device = Optional.of(new LoopConvolutions());
    try {
      FeatureCache cache = FeatureCache.inFolder(folder);
      int files = 0;
      for (Precision precision : Precision.values()) {
        ComputationGraph net = TinyTask.net();
        Acceleration.applyTo(net);
        TrainingPlan plan = TinyTask.plan(1, 0).precision(precision).build();
        TinyTask.trainer(net, plan).featureCache(cache).build().train();
        assertThat(Acceleration.precisionOf(net)).isEqualTo(precision);
        assertThat(plan.settings().containsKey("precision"))
            .isEqualTo(precision != Precision.FLOAT);
        AccelerationTest.assertHelpersDidNotFail(net.getLayers());
        int before = files;
        files = folder.toFile().list().length;
        assertThat(files).isGreaterThan(before);
      }
    } finally {
      NativeLibrary.device = present;
    }
  }

  /** A training that was stopped goes on with it or without it. */
  @Test
  void checkpointsDoNotDependOnIt() {
    assertThat(Fingerprint.ofLayout(accelerated())).isEqualTo(Fingerprint.ofLayout(net()));
  }

  /** What is written does not depend on it, so that DL4J alone can read it. */
  @Test
  void filesAreThoseOfDl4j(@TempDir Path folder) throws IOException {
    ComputationGraph plain = net();
    ComputationGraph net = accelerated();
    assertThat(net.getConfiguration().toJson()).isEqualTo(plain.getConfiguration().toJson());
    assertThat(net.getConfiguration().toYaml()).isEqualTo(plain.getConfiguration().toYaml());
    assertThat(net.getConfiguration()).isEqualTo(plain.getConfiguration());
    assertThat(plain.getConfiguration()).isEqualTo(net.getConfiguration());
    MultiLayerNetwork sequence = sequence();
    Acceleration.applyTo(sequence, NativeLibrary.ARM_COMPUTE);
    assertThat(sequence.getLayerWiseConfigurations().toJson())
        .isEqualTo(sequence().getLayerWiseConfigurations().toJson())
        .doesNotContain("spd4j");
    File file = folder.resolve("net.zip").toFile();
    ModelSerializer.writeModel(net, file, true);
    ComputationGraph loaded = ModelSerializer.restoreComputationGraph(file);
    assertThat(Acceleration.isAppliedTo(loaded)).isFalse();
    assertThat(Acceleration.applyTo(loaded, NativeLibrary.ARM_COMPUTE).accelerated()).isEqualTo(2);
    AccelerationTest.assertSame(loaded, plain, FLOAT_ROUNDING);
  }
}
