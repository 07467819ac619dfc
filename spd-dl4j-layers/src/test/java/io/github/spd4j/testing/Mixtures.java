/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import io.github.spd4j.encoding.GaussianMixture;
import io.github.spd4j.encoding.PrincipalComponents;
import io.github.spd4j.layers.FisherVectorLayer;
import java.util.Set;
import java.util.TreeSet;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Gaussian mixtures that were fitted to nothing, for tests that need any. */
public final class Mixtures {

  private Mixtures() {}

  /** Random weights, means and variances, all of them ordinary numbers. */
  public static GaussianMixture random(int components, int dimensions) {
    INDArray shares = Nd4j.rand(DataType.DOUBLE, 1, components).addi(0.3);
    return new GaussianMixture(
        shares.divi(shares.sumNumber()),
        Nd4j.randn(DataType.DOUBLE, components, dimensions).muli(0.5),
        Nd4j.rand(DataType.DOUBLE, components, dimensions).addi(0.5));
  }

  /** Stores a random mixture in each layer of a network that wants one. */
  static void storeIn(ComputationGraph net) {
    for (Layer layer : net.getLayers()) {
      if (layer.conf().getLayer() instanceof FisherVectorLayer) {
        storeIn(layer);
      }
    }
  }

  /** Stores a random mixture in a layer of Fisher vectors. */
  public static void storeIn(Layer layer) {
    FisherVectorLayer conf = (FisherVectorLayer) layer.conf().getLayer();
    Nd4j.getRandom().setSeed(5);
    int d = conf.getDimensions() == 0 ? (int) conf.getNIn() : conf.getDimensions();
    INDArray rows = Nd4j.randn(DataType.DOUBLE, 3L * conf.getNIn() + 2, conf.getNIn());
    FisherVectorLayer.store(
        layer, PrincipalComponents.of(rows, d), random(conf.getComponents(), d));
  }

  /** The names of a network's parameters that are fitted and do not learn. */
  public static Set<String> parametersOf(ComputationGraph net) {
    Set<String> names = new TreeSet<>();
    for (Layer layer : net.getLayers()) {
      addFitted(names, layer.conf().getLayer().getLayerName(), layer);
    }
    return names;
  }

  /** The same of layers that have numbers. */
  static Set<String> parametersOf(Layer... layers) {
    Set<String> names = new TreeSet<>();
    for (int i = 0; i < layers.length; i++) {
      addFitted(names, String.valueOf(i), layers[i]);
    }
    return names;
  }

  private static void addFitted(Set<String> names, String name, Layer layer) {
    if (layer.conf().getLayer() instanceof FisherVectorLayer) {
      layer.paramTable().keySet().forEach(p -> names.add(name + "_" + p));
    }
  }
}
