/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.dl4j;

import java.lang.reflect.Field;
import java.util.function.UnaryOperator;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.FrozenVertex;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayer;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayerWithBackprop;
import org.deeplearning4j.nn.layers.wrapper.BaseWrapperLayer;

/**
 * Layers inside DL4J's wrappers. A frozen layer is wrapped, as a configuration and at run time, by
 * classes that have no type in common.
 */
public final class WrappedLayers {

  private WrappedLayers() {}

  /**
   * Whether a layer is frozen. Only the layer knows: its {@code conf()} is that of the layer
   * within.
   *
   * @param layer a layer of a network
   * @return true if its parameters never change
   */
  public static boolean isFrozen(Layer layer) {
    return layer instanceof org.deeplearning4j.nn.layers.FrozenLayer
        || layer instanceof org.deeplearning4j.nn.layers.FrozenLayerWithBackprop;
  }

  /**
   * The layer that computes.
   *
   * @param layer a layer of a network
   * @return what is inside all wrappers, or the layer itself if it has none
   */
  public static Layer unwrapped(Layer layer) {
    return layer instanceof BaseWrapperLayer
        ? unwrapped(((BaseWrapperLayer) layer).getUnderlying())
        : layer;
  }

  /**
   * The configuration of the layer that computes.
   *
   * @param layer a configuration
   * @return what is inside all wrappers, or the configuration itself if it has none
   */
  public static org.deeplearning4j.nn.conf.layers.Layer unwrapped(
      org.deeplearning4j.nn.conf.layers.Layer layer) {
    org.deeplearning4j.nn.conf.layers.Layer thawed = thawed(layer);
    return thawed instanceof org.deeplearning4j.nn.conf.layers.wrapper.BaseWrapperLayer
        ? unwrapped(
            ((org.deeplearning4j.nn.conf.layers.wrapper.BaseWrapperLayer) thawed).getUnderlying())
        : thawed;
  }

  /**
   * A configuration in which another layer computes.
   *
   * @param layer a configuration; its wrappers are kept, and changed
   * @param replacement what takes the place of the configuration inside all wrappers
   * @return the configuration, or the replacement if there are no wrappers
   */
  public static org.deeplearning4j.nn.conf.layers.Layer replaced(
      org.deeplearning4j.nn.conf.layers.Layer layer,
      UnaryOperator<org.deeplearning4j.nn.conf.layers.Layer> replacement) {
    if (layer instanceof FrozenLayer) {
      setInner((FrozenLayer) layer, replaced(((FrozenLayer) layer).getLayer(), replacement));
      return layer;
    }
    if (layer instanceof org.deeplearning4j.nn.conf.layers.wrapper.BaseWrapperLayer) {
      org.deeplearning4j.nn.conf.layers.wrapper.BaseWrapperLayer wrapper =
          (org.deeplearning4j.nn.conf.layers.wrapper.BaseWrapperLayer) layer;
      wrapper.setUnderlying(replaced(wrapper.getUnderlying(), replacement));
      return layer;
    }
    return replacement.apply(layer);
  }

  /** The one wrapper of DL4J without a setter. */
  private static void setInner(FrozenLayer frozen, org.deeplearning4j.nn.conf.layers.Layer inner) {
    try {
      Field field = FrozenLayer.class.getDeclaredField("layer");
      field.setAccessible(true);
      field.set(frozen, inner);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "expected a FrozenLayer of DL4J with the field 'layer', got another version", e);
    }
  }

  /**
   * The configuration of the layer of a vertex.
   *
   * @param vertex a vertex of a configuration, perhaps frozen
   * @return what the vertex holds, or null if it has no layer
   */
  public static NeuralNetConfiguration layerOf(GraphVertex vertex) {
    GraphVertex thawed = thawed(vertex);
    return thawed instanceof LayerVertex ? ((LayerVertex) thawed).getLayerConf() : null;
  }

  /** The configuration without being frozen; other wrappers stay. */
  static org.deeplearning4j.nn.conf.layers.Layer thawed(
      org.deeplearning4j.nn.conf.layers.Layer layer) {
    if (layer instanceof FrozenLayer) {
      return thawed(((FrozenLayer) layer).getLayer());
    }
    return layer instanceof FrozenLayerWithBackprop
        ? thawed(((FrozenLayerWithBackprop) layer).getUnderlying())
        : layer;
  }

  /** The vertex without being frozen. */
  static GraphVertex thawed(GraphVertex vertex) {
    return vertex instanceof FrozenVertex
        ? thawed(((FrozenVertex) vertex).getUnderlying())
        : vertex;
  }
}
