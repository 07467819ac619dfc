/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.experiments.GraftedNetwork;
import io.github.spd4j.experiments.Method;
import io.github.spd4j.experiments.Predictions;
import io.github.spd4j.experiments.Progress;
import io.github.spd4j.textures.Split;
import io.github.spd4j.textures.TextureSet;
import io.github.spd4j.train.Probabilities;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.features.FeatureCache;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.activations.Activation;

/**
 * Puts three heads on copies of a small convolutional backbone and trains each in two stages, on
 * the same procedural textures and by the same plan.
 */
public final class Quickstart {

  /** The name of the SPD head: the one that we recommend, with a matrix square root. */
  public static final String SPD = "SPD";

  private static final String CUT = "pool";
  private static final String CONVOLUTION = "conv";
  private static final int KERNEL = 5;

  /** The heads that are compared, by name; the SPD head comes last. */
  private static final Map<String, Method> METHODS = new LinkedHashMap<>();

  static {
    METHODS.put("average pooling", Method.CONV_512_VGG_16);
    METHODS.put("bilinear", Method.CONV_512_B_CNN);
    METHODS.put(SPD, Method.SPD_ROOT);
  }

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
   * @return the result
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
    Backbone backbone = backbone();
    List<HeadResult> heads = new ArrayList<>();
    METHODS.forEach(
        (name, method) -> {
          long start = System.nanoTime();
          ComputationGraph net = graft(method, backbone);
          TrainingResult result = train(name, net, training, validation);
          double seconds = (System.nanoTime() - start) / 1e9;
          heads.add(new HeadResult(name, net, result.history(), predictions(net, test), seconds));
        });
    return new QuickstartResult(settings, textures, test, heads);
  }

  /** One convolution, whose filters are not random. */
  Backbone backbone() {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
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
                .setOutputs(CUT)
                .build());
    net.init();
    OrientedFilters.set(net.getParam(CONVOLUTION + "_W"), settings.directions);
    return new Backbone("oriented filters", net, CUT, null, settings.imageSize);
  }

  private InputType inputType() {
    return InputType.convolutional(settings.imageSize, settings.imageSize, 1);
  }

  ComputationGraph graft(Method method, Backbone backbone) {
    int classes = TextureSet.labels().size();
    return GraftedNetwork.graft(method, settings.head, backbone, classes, settings.seed);
  }

  private TrainingResult train(
      String name, ComputationGraph net, TextureImages training, TextureImages validation) {
    try (Progress shown = progress.apply(name)) {
      return TwoStageTrainer.builder(net)
          .plan(settings.training.plan(settings.seed))
          .training(training)
          .validation(validation)
          .featureCache(features)
          .progress(shown)
          .build()
          .train();
    }
  }

  private Predictions predictions(ComputationGraph net, TextureImages test) {
    return new Predictions(
        test.files(),
        TextureSet.labels(),
        Probabilities.ofImages(net, test, settings.training.batch, new Progress() {}));
  }
}
