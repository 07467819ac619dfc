/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.api.ParamInitializer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.samediff.SDLayerParams;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Lays the parameters of an {@link SpdLayer} out in the flat array of its network. */
final class SpdParameters implements ParamInitializer {

  static final SpdParameters INSTANCE = new SpdParameters();

  private SpdParameters() {}

  private static SDLayerParams of(Layer layer) {
    return ((SpdLayer) layer).getLayerParams();
  }

  @Override
  public long numParams(NeuralNetConfiguration conf) {
    return numParams(conf.getLayer());
  }

  @Override
  public long numParams(Layer layer) {
    return of(layer).getParamShapes().values().stream().mapToLong(SpdParameters::product).sum();
  }

  private static long product(long[] shape) {
    return Arrays.stream(shape).reduce(1, (a, b) -> a * b);
  }

  @Override
  public List<String> paramKeys(Layer layer) {
    return of(layer).getParameterKeys();
  }

  @Override
  public List<String> weightKeys(Layer layer) {
    return of(layer).getWeightParameterKeys();
  }

  @Override
  public List<String> biasKeys(Layer layer) {
    return of(layer).getBiasParameterKeys();
  }

  @Override
  public boolean isWeightParam(Layer layer, String key) {
    return weightKeys(layer).contains(key);
  }

  @Override
  public boolean isBiasParam(Layer layer, String key) {
    return biasKeys(layer).contains(key);
  }

  @Override
  public Map<String, INDArray> init(
      NeuralNetConfiguration conf, INDArray flat, boolean initializeParams) {
    SpdLayer layer = (SpdLayer) conf.getLayer();
    Map<String, INDArray> params = views(layer, flat);
    if (initializeParams) {
      layer.initializeParameters(params);
    }
    params.keySet().forEach(conf::addVariable);
    return params;
  }

  @Override
  public Map<String, INDArray> getGradientsFromFlattened(
      NeuralNetConfiguration conf, INDArray flat) {
    return views((SpdLayer) conf.getLayer(), flat);
  }

  /**
   * C order. DL4J 1.0.0-M1.1 leaves a row as it is cut out; its checkpoints tell networks apart by
   * the order, too.
   */
  private static char order(INDArray flat, long[] shape) {
    boolean cutOut = flat.rank() == 2 && shape.length == 2 && shape[0] == 1;
    return cutOut ? flat.ordering() : 'c';
  }

  private static Map<String, INDArray> views(SpdLayer layer, INDArray flat) {
    Map<String, INDArray> views = new LinkedHashMap<>();
    Map<String, long[]> shapes = of(layer).getParamShapes();
    long from = 0;
    for (String name : of(layer).getParameterKeys()) {
      long[] shape = shapes.get(name);
      long to = from + product(shape);
      if (to == from) {
        throw layer.invalidConfig(
            "nIn(C), the size of its input, where no input type tells it",
            name + " of shape " + Arrays.toString(shape));
      }
      INDArray part = flat.reshape(flat.length()).get(NDArrayIndex.interval(from, to));
      views.put(name, part.reshape(order(flat, shape), shape));
      from = to;
    }
    return views;
  }
}
