/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import java.util.Collection;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.annotation.JsonIgnore;
import org.nd4j.shade.jackson.annotation.JsonProperty;
import org.nd4j.shade.jackson.annotation.JsonTypeId;

/**
 * The configuration of an output layer whose layers are {@link AcceleratedOutputLayer}s. A network
 * is cloned by way of its configuration, so the clone is accelerated as well.
 *
 * <p>It is stored as DL4J's own class: a file needs this library no more than it did before.
 */
final class AcceleratedOutput extends OutputLayer {

  private static final long serialVersionUID = 1L;

  @JsonIgnore private final Library library;

  private AcceleratedOutput(Library library) {
    this.library = library;
  }

  /**
   * The accelerated configuration.
   *
   * @param layer any layer
   * @param library what the rest of the network is computed by
   * @return one that equals the layer, with the same objects in its fields; or the layer itself if
   *     it is not DL4J's output layer
   */
  static Layer of(Layer layer, Library library) {
    if (layer.getClass() != OutputLayer.class) {
      return layer;
    }
    return LayerFields.copied(layer, new AcceleratedOutput(library));
  }

  /** The class that is written into files. */
  @JsonTypeId
  @JsonProperty
  String storedAs() {
    return OutputLayer.class.getName();
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
