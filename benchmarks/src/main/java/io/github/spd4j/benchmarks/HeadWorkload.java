/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.updater.StiefelSgd;
import java.nio.file.Path;
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
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;
import org.nd4j.linalg.ops.transforms.Transforms;

/** The head of the paper with its defaults, on random feature maps. */
final class HeadWorkload implements Workload {

  private static final double RATE = 0.01;
  static final double MOMENTUM = 0.9;

  /**
   * φ of the power normalisation, larger than by default. It makes no difference in time, and with
   * it the gradients are well enough conditioned for single precision to be compared: by default
   * PyTorch's own differ by 4e-4 from those that it computes in double precision.
   */
  private static final double POWER_FLOOR = 0.1;

  private static final long SEED = 1;

  private static final String W = "transform_W";
  private static final String WEIGHT = "classifier_W";
  private static final String BIAS = "classifier_b";

  private final HeadSize size;
  private final ComputationGraph net;
  private final DataSet data;

  HeadWorkload(HeadSize size, Retraction retraction) {
    this.size = size;
    Nd4j.getRandom().setSeed(SEED);
    net = network(size, retraction);
    data = new DataSet(maps(size), labels(size));
  }

  private static ComputationGraph network(HeadSize size, Retraction retraction) {
    StiefelSgd onManifold =
        StiefelSgd.builder().learningRate(RATE).momentum(MOMENTUM).retraction(retraction).build();
    GraphBuilder graph =
        new NeuralNetConfiguration.Builder()
            .seed(SEED)
            .dataType(DataType.FLOAT)
            .updater(new Nesterovs(RATE, MOMENTUM))
            .graphBuilder()
            .addInputs("maps")
            .setInputTypes(InputType.convolutional(size.side, size.side, size.channels));
    add(graph, "maps", size, onManifold);
    ComputationGraph net = new ComputationGraph(graph.build());
    net.init();
    net.initGradientsView(); // DL4J makes it with the first step; the comparison comes earlier
    return net;
  }

  /** Adds the head to a graph. */
  static void add(GraphBuilder graph, String maps, HeadSize size, IUpdater onManifold) {
    graph
        .addLayer("aggregation", new KernelAggregationLayer.Builder().build(), maps)
        .addLayer(
            "transform",
            new SpdTransformLayer.Builder().nOut(size.outputs).updater(onManifold).build(),
            "aggregation")
        .addLayer(
            "vector",
            new SpdVectorizationLayer.Builder().powerFloor(POWER_FLOOR).build(),
            "transform")
        .addLayer(
            "classifier",
            new OutputLayer.Builder(LossFunction.MCXENT)
                .nOut(size.classes)
                .activation(Activation.SOFTMAX)
                .build(),
            "vector")
        .setOutputs("classifier");
  }

  /** Not negative, as they come from a ReLU. */
  static INDArray maps(HeadSize size) {
    return Transforms.relu(
        Nd4j.randn(DataType.FLOAT, size.batch, size.channels, size.side, size.side), false);
  }

  static INDArray labels(HeadSize size) {
    INDArray labels = Nd4j.zeros(DataType.FLOAT, size.batch, size.classes);
    for (int i = 0; i < size.batch; i++) {
      labels.putScalar(i, i % size.classes, 1);
    }
    return labels;
  }

  HeadSize size() {
    return size;
  }

  @Override
  public String kind() {
    return "head";
  }

  @Override
  public Map<String, Object> settings() {
    return settings(size, RATE);
  }

  static Map<String, Object> settings(HeadSize size, double rate) {
    Map<String, Object> settings = size.settings();
    settings.put("floor", POWER_FLOOR);
    settings.put("rate", rate);
    settings.put("momentum", MOMENTUM);
    return settings;
  }

  @Override
  public void save(Path folder) {
    RawArrays.write(folder, "input", data.getFeatures());
    save(net, data.getLabels(), folder);
  }

  /** Writes the parameters of the head and the labels. */
  static void save(ComputationGraph net, INDArray labels, Path folder) {
    RawArrays.write(folder, "w", net.getParam(W));
    RawArrays.write(folder, "weight", net.getParam(WEIGHT).transpose());
    RawArrays.write(folder, "bias", net.getParam(BIAS));
    RawArrays.write(folder, "labels", labels.argMax(1).castTo(DataType.FLOAT));
  }

  /** Layer by layer, since DL4J does not show the gradient with respect to a network's input. */
  @Override
  public Map<String, INDArray> results() {
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
        INDArray mean = byParam.div(size.batch);
        boolean classifier = epsilonIsVector(epsilon);
        results.put(classifier ? "by_weight" : "by_w", classifier ? mean.transpose() : mean);
      }
    }
    results.put("by_input", epsilon.div(size.batch));
    INDArray before = net.params().dup();
    run("step");
    results.put("next_w", net.getParam(W).dup());
    net.setParams(before);
    net.getUpdater().getUpdaterStateViewArray().assign(0);
    return results;
  }

  private static boolean epsilonIsVector(INDArray epsilon) {
    return epsilon.rank() == 2;
  }

  @Override
  public void run(String what) {
    if (what.equals("step")) {
      net.fit(data);
    } else {
      net.outputSingle(data.getFeatures());
    }
  }
}
