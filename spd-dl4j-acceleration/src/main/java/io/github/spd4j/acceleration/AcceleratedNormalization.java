/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import java.util.Collection;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LocalResponseNormalization;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.annotation.JsonIgnore;
import org.nd4j.shade.jackson.annotation.JsonProperty;
import org.nd4j.shade.jackson.annotation.JsonTypeId;

/**
 * The configuration of a local response normalisation whose layers use {@link
 * ResponseNormalization}. A network is cloned by way of its configuration, so the clone is
 * accelerated as well.
 *
 * <p>It is stored as DL4J's own class: a file needs this library no more than it did before.
 */
final class AcceleratedNormalization extends LocalResponseNormalization {

  private static final long serialVersionUID = 1L;

  @JsonIgnore private final Library library;

  private AcceleratedNormalization(Library library) {
    this.library = library;
  }

  /**
   * The accelerated configuration.
   *
   * @param layer any layer
   * @param library what it is computed by
   * @return one that equals the layer, with the same objects in its fields; or the layer itself if
   *     it is not DL4J's normalisation of images with the channels first
   */
  static Layer of(Layer layer, Library library) {
    if (layer.getClass() != LocalResponseNormalization.class || !hasChannelsFirst(layer)) {
      return layer;
    }
    return LayerFields.copied(layer, new AcceleratedNormalization(library));
  }

  /** Whether the images of a normalisation are [N, C, H, W]. */
  static boolean hasChannelsFirst(Layer normalization) {
    return ((LocalResponseNormalization) normalization).getDataFormat() == CNN2DFormat.NCHW;
  }

  /** The class that is written into files. */
  @JsonTypeId
  @JsonProperty
  String storedAs() {
    return LocalResponseNormalization.class.getName();
  }

  @Override
  public org.deeplearning4j.nn.api.Layer instantiate(
      NeuralNetConfiguration conf,
      Collection<TrainingListener> trainingListeners,
      int layerIndex,
      INDArray layerParamsView,
      boolean initializeParams,
      DataType networkDataType) {
    return Acceleration.accelerate(
        super.instantiate(
            conf,
            trainingListeners,
            layerIndex,
            layerParamsView,
            initializeParams,
            networkDataType),
        library,
        networkDataType);
  }
}
