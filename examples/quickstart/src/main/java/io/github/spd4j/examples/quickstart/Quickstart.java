/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.quickstart;

import io.github.spd4j.examples.cli.Progress;
import io.github.spd4j.examples.textures.Split;
import io.github.spd4j.examples.textures.TextureSet;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.train.InMemoryImages;
import io.github.spd4j.train.LabelledImages;
import io.github.spd4j.train.Stage;
import io.github.spd4j.train.TrainingPlan;
import io.github.spd4j.train.TrainingProgress;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
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
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.api.iterator.DataSetIterator;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;

/**
 * Trains a small convolutional backbone on procedural textures, then puts three heads on copies of
 * it and trains each in two stages, on the same images and by the same plan.
 */
public final class Quickstart {

  /** The name of the SPD head. */
  public static final String SPD = "SPD";

  private static final String CUT = "conv3";
  private static final int EVALUATION_BATCH = 64;

  private final QuickstartSettings settings;
  private final Function<String, TrainingProgress> progress;

  /**
   * A quickstart.
   *
   * @param settings its sizes and seed
   * @param progress gives for the name of a task where to show its progress
   */
  public Quickstart(QuickstartSettings settings, Function<String, TrainingProgress> progress) {
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
    ComputationGraph backbone = trainBackbone(textures);
    List<HeadResult> heads = new ArrayList<>();
    heads().forEach((name, head) -> heads.add(trainHead(name, head, backbone, textures)));
    return new QuickstartResult(settings, textures, heads);
  }

  /** The heads that are compared, by name; the SPD head comes last. */
  private Map<String, Head> heads() {
    Map<String, Head> heads = new LinkedHashMap<>();
    heads.put("average pooling", Head.averagePooling());
    heads.put("bilinear", Head.bilinear().scale(settings.scale));
    heads.put(SPD, Head.spd().transforms(settings.transform).scale(settings.scale));
    return heads;
  }

  private InputType inputType() {
    return InputType.convolutional(settings.imageSize, settings.imageSize, 3);
  }

  private ComputationGraph trainBackbone(TextureSet textures) {
    ComputationGraph net = backbone();
    TrainingProgress shown = progress.apply("backbone");
    DataSetIterator batches = textures.shuffled(Split.TRAIN, settings.batchSize, settings.seed);
    int images = textures.count(Split.TRAIN);
    shown.stageStarted(Stage.WHOLE, settings.backboneEpochs, images);
    for (int epoch = 0; epoch < settings.backboneEpochs; epoch++) {
      new BackboneEpoch(net, shown, epoch).run(batches);
    }
    Progress.close(shown);
    return net;
  }

  private ComputationGraph backbone() {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(settings.seed)
                .updater(new Adam(settings.backboneRate))
                .weightInit(WeightInit.RELU)
                .activation(Activation.RELU)
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(inputType())
                .addLayer("conv1", convolution(5, settings.width), "image")
                .addLayer("pool1", pooling(), "conv1")
                .addLayer("conv2", convolution(3, 2 * settings.width), "pool1")
                .addLayer("pool2", pooling(), "conv2")
                .addLayer(CUT, convolution(3, 3 * settings.width), "pool2")
                .addLayer("average", new GlobalPoolingLayer(PoolingType.AVG), CUT)
                .addLayer(
                    "out",
                    new OutputLayer.Builder()
                        .nOut(TextureSet.labels().size())
                        .activation(Activation.SOFTMAX)
                        .build(),
                    "average")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  private static ConvolutionLayer convolution(int size, int channels) {
    return new ConvolutionLayer.Builder(size, size).nOut(channels).build();
  }

  private static SubsamplingLayer pooling() {
    return new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
        .kernelSize(2, 2)
        .stride(2, 2)
        .build();
  }

  private HeadResult trainHead(
      String name, Head head, ComputationGraph backbone, TextureSet textures) {
    long start = System.nanoTime();
    int classes = TextureSet.labels().size();
    ComputationGraph net =
        SpdGraft.onto(backbone)
            .after(CUT)
            .inputType(inputType())
            .head(head)
            .classes(classes)
            .seed(settings.seed)
            .build();
    TrainingProgress shown = progress.apply(name);
    TrainingResult result =
        TwoStageTrainer.builder(net, CUT)
            .plan(plan())
            .training(images(textures, Split.TRAIN))
            .validation(images(textures, Split.VALIDATION))
            .progress(shown)
            .build()
            .train();
    Progress.close(shown);
    int[] labels = labels(textures.test());
    int[] answers = answers(net, textures);
    double seconds = (System.nanoTime() - start) / 1e9;
    return new HeadResult(name, net, result.history(), labels, answers, classes, seconds);
  }

  private TrainingPlan plan() {
    return TrainingPlan.recommended().toBuilder()
        .epochs(Stage.HEAD, settings.headEpochs)
        .epochs(Stage.WHOLE, settings.wholeEpochs)
        .batchSize(settings.batchSize)
        .seed(settings.seed)
        .build();
  }

  private static LabelledImages images(TextureSet textures, Split split) {
    return new InMemoryImages(textures.dataSet(split));
  }

  private static int[] labels(DataSet data) {
    return data.getLabels().argMax(1).toIntVector();
  }

  private static int[] answers(ComputationGraph net, TextureSet textures) {
    DataSetIterator batches = textures.iterator(Split.TEST, EVALUATION_BATCH);
    List<INDArray> all = new ArrayList<>();
    while (batches.hasNext()) {
      all.add(net.outputSingle(batches.next().getFeatures()).argMax(1));
    }
    return Nd4j.concat(0, all.toArray(new INDArray[0])).toIntVector();
  }
}
