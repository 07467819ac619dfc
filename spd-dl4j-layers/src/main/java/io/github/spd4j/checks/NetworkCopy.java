/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.checks;

import io.github.spd4j.internal.dl4j.WrappedLayers;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.layers.SpdLayer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.UnaryOperator;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.params.BatchNormalizationParamInitializer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.api.MultiDataSet;

/** A copy of a network in DOUBLE, with the data to check it on, and its gradients there. */
final class NetworkCopy {

  private static final Set<String> STATISTICS =
      Set.of(
          BatchNormalizationParamInitializer.GLOBAL_MEAN,
          BatchNormalizationParamInitializer.GLOBAL_VAR,
          BatchNormalizationParamInitializer.GLOBAL_LOG_STD);

  private final Map<String, INDArray> parameters;
  private final Map<String, INDArray> gradients = new HashMap<>();
  private final Map<String, Layer> layers = new HashMap<>();
  private final DoubleSupplier loss;

  private NetworkCopy(Model net, DoubleSupplier loss, int examples) {
    this.parameters = net.paramTable();
    this.loss = loss;
    // DL4J sums over the examples, and divides in the updater.
    double divisor = net.conf().isMiniBatch() ? examples : 1;
    net.gradient()
        .gradientForVariable()
        .forEach((name, gradient) -> gradients.put(name, gradient.div(divisor)));
  }

  /** A copy of a graph, in which each layer inside all wrappers is replaced. */
  static NetworkCopy of(
      ComputationGraph net,
      MultiDataSet data,
      UnaryOperator<org.deeplearning4j.nn.conf.layers.Layer> change) {
    // By way of JSON: the clone of a merge forgets along which axis it merges.
    ComputationGraphConfiguration configuration =
        ComputationGraphConfiguration.fromJson(net.getConfiguration().toJson());
    configuration.getVertices().values().stream()
        .map(WrappedLayers::layerOf)
        .filter(layer -> layer != null)
        .forEach(layer -> change(layer, change));
    configuration.setDataType(DataType.DOUBLE);
    ComputationGraph copy = new ComputationGraph(configuration);
    copy.init(inDouble(net.params()), false);
    INDArray[] features = inDouble(data.getFeatures());
    INDArray[] labels = inDouble(data.getLabels());
    INDArray[] featuresMasks = inDouble(data.getFeaturesMaskArrays());
    INDArray[] labelsMasks = inDouble(data.getLabelsMaskArrays());
    MultiDataSet precise =
        new org.nd4j.linalg.dataset.MultiDataSet(features, labels, featuresMasks, labelsMasks);
    copy.setInputs(features);
    copy.setLabels(labels);
    copy.setLayerMaskArrays(featuresMasks, labelsMasks);
    copy.computeGradientAndScore();
    NetworkCopy result =
        new NetworkCopy(
            copy,
            () -> copy.score(precise, true) - copy.calcRegularizationScore(true),
            (int) features[0].size(0));
    for (Layer layer : copy.getLayers()) {
      result.layers.put(layer.conf().getLayer().getLayerName(), layer);
    }
    return result;
  }

  /** A copy of a network of layers, in which each layer inside all wrappers is replaced. */
  static NetworkCopy of(
      MultiLayerNetwork net,
      DataSet data,
      UnaryOperator<org.deeplearning4j.nn.conf.layers.Layer> change) {
    MultiLayerConfiguration configuration =
        MultiLayerConfiguration.fromJson(net.getLayerWiseConfigurations().toJson());
    configuration.getConfs().forEach(layer -> change(layer, change));
    configuration.setDataType(DataType.DOUBLE);
    MultiLayerNetwork copy = new MultiLayerNetwork(configuration);
    copy.init(inDouble(net.params()), false);
    DataSet precise =
        new DataSet(
            inDouble(data.getFeatures()),
            inDouble(data.getLabels()),
            inDouble(data.getFeaturesMaskArray()),
            inDouble(data.getLabelsMaskArray()));
    copy.setInput(precise.getFeatures());
    copy.setLabels(precise.getLabels());
    copy.setLayerMaskArrays(precise.getFeaturesMaskArray(), precise.getLabelsMaskArray());
    copy.computeGradientAndScore();
    NetworkCopy result =
        new NetworkCopy(
            copy,
            () -> copy.score(precise, true) - copy.calcRegularizationScore(true),
            data.numExamples());
    for (int i = 0; i < copy.getnLayers(); i++) {
      result.layers.put(String.valueOf(i), copy.getLayer(i));
    }
    return result;
  }

  private static void change(
      NeuralNetConfiguration configuration,
      UnaryOperator<org.deeplearning4j.nn.conf.layers.Layer> change) {
    configuration.setLayer(WrappedLayers.replaced(configuration.getLayer(), change));
  }

  private static INDArray inDouble(INDArray array) {
    return array == null ? null : array.castTo(DataType.DOUBLE).dup();
  }

  private static INDArray[] inDouble(INDArray[] arrays) {
    if (arrays == null) {
      return null;
    }
    INDArray[] result = new INDArray[arrays.length];
    for (int i = 0; i < arrays.length; i++) {
      result[i] = inDouble(arrays[i]);
    }
    return result;
  }

  /** The mean loss, without penalties. */
  double loss() {
    return loss.getAsDouble();
  }

  /** The names of all parameters. */
  Set<String> parameters() {
    return parameters.keySet();
  }

  /** The gradient of the mean loss, in the shape of the parameter, which DL4J's may lack. */
  INDArray gradient(String name) {
    return gradients.get(name).reshape('c', parameters.get(name).shape());
  }

  /** Why a parameter is not learnt by its gradient; null if it is. */
  String whyNotLearnt(String name) {
    int end = name.lastIndexOf('_');
    Layer layer = layers.get(name.substring(0, end));
    if (WrappedLayers.isFrozen(layer) || !gradients.containsKey(name)) {
      return "the layer is frozen";
    }
    org.deeplearning4j.nn.conf.layers.Layer conf = WrappedLayers.unwrapped(layer).conf().getLayer();
    String param = name.substring(end + 1);
    boolean kept = conf instanceof SpdLayer && !((SpdLayer) conf).isLearnt(param);
    if (kept && conf instanceof FisherVectorLayer) {
      return "the mixture is fitted";
    }
    return kept || conf instanceof BatchNormalization && STATISTICS.contains(param)
        ? "a running mean or variance of the batches"
        : null;
  }

  /** The central difference of the loss by one entry of a parameter. */
  double difference(String name, long[] entry, double step) {
    INDArray parameter = parameters.get(name);
    double value = parameter.getDouble(entry);
    parameter.putScalar(entry, value + step);
    double above = loss.getAsDouble();
    parameter.putScalar(entry, value - step);
    double below = loss.getAsDouble();
    parameter.putScalar(entry, value);
    return (above - below) / (2 * step);
  }
}
