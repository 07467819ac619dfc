/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.experiments.Predictions;
import io.github.spd4j.experiments.Progress;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.textures.Split;
import io.github.spd4j.textures.TextureSet;
import io.github.spd4j.train.Probabilities;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.activations.Activation;

/**
 * Puts three heads on copies of a small convolutional backbone and trains each in two stages, on
 * the same procedural textures and by the same plan.
 */
public final class Quickstart {

  /** The name of the SPD head. */
  public static final String SPD = "SPD";

  static final String CUT = "pool";
  private static final String CONVOLUTION = "conv";
  private static final int KERNEL = 5;
  private static final double BACKBONE_RATE = 3e-4;

  private final QuickstartSettings settings;
  private final Function<String, Progress> progress;
  private final FeatureCache features = FeatureCache.inMemory();

  /**
   * A quickstart.
   *
   * @param settings its sizes and seed
   * @param progress gives for the name of a task where to show its progress
   */
  public Quickstart(QuickstartSettings settings, Function<String, Progress> progress) {
    this.settings = settings;
    this.progress = progress;
  }

  /**
   * Generates, trains and tests.
   *
   * @return what came out
   */
  public QuickstartResult run() {
    TextureSet textures =
        TextureSet.generate(
            settings.trainPerClass,
            settings.validationPerClass,
            settings.testPerClass,
            settings.imageSize,
            settings.seed);
    TextureImages training = new TextureImages(textures, Split.TRAIN);
    TextureImages validation = new TextureImages(textures, Split.VALIDATION);
    TextureImages test = new TextureImages(textures, Split.TEST);
    ComputationGraph backbone = backbone();
    List<HeadResult> heads = new ArrayList<>();
    heads()
        .forEach(
            (name, head) -> {
              long start = System.nanoTime();
              ComputationGraph net = graft(head, backbone);
              TrainingResult result = train(name, net, training, validation);
              double seconds = (System.nanoTime() - start) / 1e9;
              heads.add(
                  new HeadResult(name, net, result.history(), predictions(net, test), seconds));
            });
    return new QuickstartResult(settings, textures, test, heads);
  }

  /** The heads that are compared, by name; the SPD head comes last. */
  Map<String, Head> heads() {
    int channels = OrientedFilters.count(settings.directions);
    Map<String, Head> heads = new LinkedHashMap<>();
    heads.put("average pooling", Head.averagePooling().convolution(channels).identityStart());
    heads.put(
        "bilinear",
        Head.bilinear()
            .convolution(channels)
            .identityStart()
            .powerFloor(settings.powerFloor)
            .scale(settings.scale));
    heads.put(
        SPD,
        Head.spd()
            .convolution(channels)
            .identityStart()
            .kernel(new RbfKernel(Bandwidth.meanDistance().times(settings.bandwidth)))
            .transforms(settings.transform)
            .powerFloor(settings.powerFloor)
            .scale(settings.scale));
    return heads;
  }

  private InputType inputType() {
    return InputType.convolutional(settings.imageSize, settings.imageSize, 1);
  }

  ComputationGraph backbone() {
    int classes = TextureSet.labels().size();
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(settings.seed)
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(inputType())
                .addLayer(
                    CONVOLUTION,
                    new ConvolutionLayer.Builder(KERNEL, KERNEL)
                        .nOut(OrientedFilters.count(settings.directions))
                        .activation(Activation.RELU)
                        .build(),
                    "image")
                .addLayer(
                    CUT,
                    new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.AVG)
                        .kernelSize(2, 2)
                        .stride(2, 2)
                        .build(),
                    CONVOLUTION)
                .addLayer("average", new GlobalPoolingLayer(PoolingType.AVG), CUT)
                .addLayer(
                    "out",
                    new OutputLayer.Builder().nOut(classes).activation(Activation.SOFTMAX).build(),
                    "average")
                .setOutputs("out")
                .build());
    net.init();
    OrientedFilters.set(net.getParam(CONVOLUTION + "_W"), settings.directions);
    return net;
  }

  ComputationGraph graft(Head head, ComputationGraph backbone) {
    ComputationGraph net =
        SpdGraft.onto(backbone)
            .after(CUT)
            .inputType(inputType())
            .head(head)
            .classes(TextureSet.labels().size())
            .seed(settings.seed)
            .build();
    Acceleration.applyTo(net);
    return net;
  }

  private TrainingResult train(
      String name, ComputationGraph net, TextureImages training, TextureImages validation) {
    try (Progress shown = progress.apply(name)) {
      return TwoStageTrainer.builder(net, CUT)
          .plan(plan())
          .training(training)
          .validation(validation)
          .featureCache(features)
          .progress(shown)
          .build()
          .train();
    }
  }

  private TrainingPlan plan() {
    return TrainingPlan.fitted().toBuilder()
        .epochs(Stage.HEAD, settings.headEpochs)
        .epochs(Stage.WHOLE, settings.wholeEpochs)
        .rate(Stage.WHOLE, LayerGroup.BACKBONE, BACKBONE_RATE)
        .batchSize(settings.batchSize)
        .seed(settings.seed)
        .build();
  }

  private Predictions predictions(ComputationGraph net, TextureImages test) {
    return new Predictions(
        test.files(),
        TextureSet.labels(),
        Probabilities.ofImages(net, test, settings.batchSize, new Progress() {}));
  }
}
