/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.updater.StiefelSgd;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.layers.IOutputLayer;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;
import org.nd4j.linalg.ops.transforms.Transforms;

/** The head of the paper with its defaults, on random feature maps. */
final class HeadWorkload extends Workload {

  private static final double RATE = 0.01;
  static final double MOMENTUM = 0.9;

  /**
   * φ of the power normalisation, larger than by default. It makes no difference in time, and with
   * it the gradients are well enough conditioned for single precision to be compared: by default
   * PyTorch's own differ by 4e-4 from those that it computes in double precision.
   */
  private static final double POWER_FLOOR = 0.1;

  private static final long SEED = 1;

  static final String INPUT = "input";

  private static final String W = "transform_W";
  private static final String WEIGHT = "classifier_W";
  private static final String BIAS = "classifier_b";

  private final HeadSize head;
  private final ComputationGraph net;
  private final DataSet data;

  HeadWorkload(HeadSize size, Retraction retraction) {
    super(
        "head",
        size.toString(),
        settings(size, RATE),
        Map.of("forward", size.forwardGflop(), "step", size.stepGflop()));
    this.head = size;
    Nd4j.getRandom().setSeed(SEED);
    GraphBuilder graph = graph(RATE, size.side(), size.channels());
    add(graph, INPUT, size, RATE, retraction);
    net = new ComputationGraph(graph.build());
    net.init();
    Acceleration.applyTo(net);
    net.initGradientsView(); // DL4J makes it with the first step; the comparison comes earlier
    data = data(size);
  }

  /** The start of a network: its updater, and square images or feature maps as its input. */
  static GraphBuilder graph(double rate, int side, int channels) {
    return new NeuralNetConfiguration.Builder()
        .seed(SEED)
        .dataType(DataType.FLOAT)
        .updater(new Nesterovs(rate, MOMENTUM))
        .graphBuilder()
        .addInputs(INPUT)
        .setInputTypes(InputType.convolutional(side, side, channels));
  }

  /** Adds the head to a graph. */
  static void add(
      GraphBuilder graph, String maps, HeadSize size, double rate, Retraction retraction) {
    StiefelSgd onManifold =
        StiefelSgd.builder().learningRate(rate).momentum(MOMENTUM).retraction(retraction).build();
    graph
        .addLayer("aggregation", new KernelAggregationLayer.Builder().build(), maps)
        .addLayer(
            "transform",
            new SpdTransformLayer.Builder().nOut(size.outputs()).updater(onManifold).build(),
            "aggregation")
        .addLayer(
            "vector",
            new SpdVectorizationLayer.Builder().powerFloor(POWER_FLOOR).build(),
            "transform")
        .addLayer(
            "classifier",
            new OutputLayer.Builder(LossFunction.MCXENT)
                .nOut(size.classes())
                .activation(Activation.SOFTMAX)
                .build(),
            "vector")
        .setOutputs("classifier");
  }

  /** Feature maps and labels. The maps are not negative, as they come from a ReLU. */
  static DataSet data(HeadSize size) {
    INDArray maps =
        Nd4j.randn(DataType.FLOAT, size.batch(), size.channels(), size.side(), size.side());
    return new DataSet(Transforms.relu(maps, false), labels(size));
  }

  static INDArray labels(HeadSize size) {
    return labels(size.batch(), size.classes());
  }

  static INDArray labels(int batch, int classes) {
    INDArray labels = Nd4j.zeros(DataType.FLOAT, batch, classes);
    for (int i = 0; i < batch; i++) {
      labels.putScalar(i, i % classes, 1);
    }
    return labels;
  }

  /** By the names that the other side knows, in a map that can be added to. */
  static Map<String, Object> settings(HeadSize size, double rate) {
    return new HashMap<>(
        Map.of(
            "batch", size.batch(),
            "channels", size.channels(),
            "outputs", size.outputs(),
            "side", size.side(),
            "classes", size.classes(),
            "floor", POWER_FLOOR,
            "rate", rate,
            "momentum", MOMENTUM));
  }

  @Override
  Map<String, INDArray> arrays() {
    Map<String, INDArray> arrays = arrays(net, data.getLabels());
    arrays.put("input", data.getFeatures());
    return arrays;
  }

  /** The parameters of the head and the labels, in a map that can be added to. */
  static Map<String, INDArray> arrays(ComputationGraph net, INDArray labels) {
    Map<String, INDArray> arrays = classifier(net, labels);
    arrays.put("w", net.getParam(W));
    return arrays;
  }

  /** The parameters of the classifier and the labels, in a map that can be added to. */
  static Map<String, INDArray> classifier(ComputationGraph net, INDArray labels) {
    Map<String, INDArray> arrays = new HashMap<>();
    arrays.put("weight", net.getParam(WEIGHT).transpose());
    arrays.put("bias", net.getParam(BIAS));
    arrays.put("labels", labels.argMax(1).castTo(DataType.FLOAT));
    return arrays;
  }

  /** Layer by layer, since DL4J does not show the gradient with respect to a network's input. */
  @Override
  Map<String, INDArray> results() {
    LayerWorkspaceMgr none = LayerWorkspaceMgr.noWorkspaces();
    Layer[] layers = net.getLayers();
    INDArray activation = data.getFeatures();
    for (Layer layer : layers) {
      activation = layer.activate(activation, true, none);
    }
    Map<String, INDArray> results = new LinkedHashMap<>();
    results.put("probabilities", activation.dup());
    ((IOutputLayer) layers[layers.length - 1]).setLabels(data.getLabels());
    INDArray epsilon = null;
    for (int i = layers.length - 1; i >= 0; i--) {
      Pair<Gradient, INDArray> result = layers[i].backpropGradient(epsilon, none);
      epsilon = result.getSecond();
      INDArray byParam = result.getFirst().getGradientFor("W");
      if (byParam != null) {
        // DL4J's gradients are of the sum over the batch until the updater divides them.
        INDArray mean = byParam.div(head.batch());
        boolean classifier = layers[i] instanceof IOutputLayer;
        results.put(classifier ? "by_weight" : "by_w", classifier ? mean.transpose() : mean);
      }
    }
    results.put("by_input", epsilon.div(head.batch()));
    INDArray before = net.params().dup();
    run("step");
    results.put("next_w", net.getParam(W).dup());
    net.setParams(before);
    net.getUpdater().getUpdaterStateViewArray().assign(0);
    return results;
  }

  @Override
  void run(String what) {
    if (what.equals("step")) {
      net.fit(data);
    } else {
      net.outputSingle(data.getFeatures());
    }
  }
}
