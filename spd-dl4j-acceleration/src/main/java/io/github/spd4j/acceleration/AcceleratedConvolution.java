/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import java.util.Collection;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.annotation.JsonIgnore;
import org.nd4j.shade.jackson.annotation.JsonProperty;
import org.nd4j.shade.jackson.annotation.JsonTypeId;

/**
 * The configuration of a convolution whose layers use a library. A network is cloned by way of its
 * configuration, so the clone is accelerated as well.
 *
 * <p>It is stored as DL4J's own class: a file needs this library no more than it did before.
 */
final class AcceleratedConvolution extends ConvolutionLayer {

  private static final long serialVersionUID = 1L;

  @JsonIgnore private final Library library;

  private AcceleratedConvolution(Library library) {
    this.library = library;
  }

  /**
   * The accelerated configuration.
   *
   * @param layer any layer
   * @param library what its convolution is computed by
   * @return one that equals the layer, with the same objects in its fields; or the layer itself if
   *     it is not DL4J's convolution
   */
  static Layer of(Layer layer, Library library) {
    if (layer.getClass() != ConvolutionLayer.class) {
      return layer;
    }
    return LayerFields.copied(layer, new AcceleratedConvolution(library));
  }

  /**
   * The activation function.
   *
   * @return one that equals what was set; a rectifier is computed by the library
   */
  @Override
  public IActivation getActivationFn() {
    return library.activation(super.getActivationFn());
  }

  /** The class that is written into files. */
  @JsonTypeId
  @JsonProperty
  String storedAs() {
    return ConvolutionLayer.class.getName();
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
