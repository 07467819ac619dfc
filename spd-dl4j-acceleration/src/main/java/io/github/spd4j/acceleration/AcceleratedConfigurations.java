/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import java.util.Collection;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LocalResponseNormalization;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.annotation.JsonIgnore;
import org.nd4j.shade.jackson.annotation.JsonProperty;
import org.nd4j.shade.jackson.annotation.JsonTypeId;

/**
 * Configurations of DL4J's layers whose layers are accelerated.
 *
 * <p>DL4J clones a network by way of its configuration, in {@code clone()}, in transfer learning
 * and in early stopping. There is no place where a clone could be accelerated anew: most are made
 * by DL4J or by users. So the configuration knows.
 *
 * <p>Each equals DL4J's own and is stored as that: a file needs this library no more than it did
 * before. DL4J casts a configuration to its own class, hence one subclass for each.
 */
final class AcceleratedConfigurations {

  private AcceleratedConfigurations() {}

  /**
   * The accelerated configuration.
   *
   * @param layer any layer
   * @param library what it is computed by
   * @return one that equals the layer, with the same objects in its fields; or the layer itself if
   *     there is nothing to accelerate. Subclasses of DL4J's are left alone
   */
  static Layer of(Layer layer, NativeLibrary library) {
    boolean isOurs = layer instanceof StoredAsDl4js; // perhaps in another precision
    Class<?> type = isOurs ? layer.getClass().getSuperclass() : layer.getClass();
    if (type == ConvolutionLayer.class) {
      return LayerFields.copied(layer, new AcceleratedConvolution(library));
    }
    if (type == SubsamplingLayer.class) {
      return LayerFields.copied(layer, new AcceleratedPooling(library));
    }
    if (type == LocalResponseNormalization.class && hasChannelsFirst(layer)) {
      return LayerFields.copied(layer, new AcceleratedNormalization(library));
    }
    return type == OutputLayer.class
        ? LayerFields.copied(layer, new AcceleratedOutput(library))
        : layer;
  }

  /** Whether the images of a normalisation are [N, C, H, W]. */
  static boolean hasChannelsFirst(Layer normalization) {
    return ((LocalResponseNormalization) normalization).getDataFormat() == CNN2DFormat.NCHW;
  }

  /** What goes into files in the place of a configuration. */
  private interface StoredAsDl4js {

    /** The class that is written. */
    @JsonTypeId
    @JsonProperty
    default String storedAs() {
      return getClass().getSuperclass().getName();
    }
  }

  private static final class AcceleratedConvolution extends ConvolutionLayer
      implements StoredAsDl4js {

    private static final long serialVersionUID = 1L;

    @JsonIgnore private final NativeLibrary library;

    AcceleratedConvolution(NativeLibrary library) {
      this.library = library;
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

    @Override
    public org.deeplearning4j.nn.api.Layer instantiate(
        NeuralNetConfiguration conf,
        Collection<TrainingListener> listeners,
        int index,
        INDArray params,
        boolean initialize,
        DataType type) {
      return Acceleration.accelerate(
          super.instantiate(conf, listeners, index, params, initialize, type), library, type);
    }
  }

  private static final class AcceleratedPooling extends SubsamplingLayer implements StoredAsDl4js {

    private static final long serialVersionUID = 1L;

    @JsonIgnore private final NativeLibrary library;

    AcceleratedPooling(NativeLibrary library) {
      this.library = library;
    }

    @Override
    public org.deeplearning4j.nn.api.Layer instantiate(
        NeuralNetConfiguration conf,
        Collection<TrainingListener> listeners,
        int index,
        INDArray params,
        boolean initialize,
        DataType type) {
      return Acceleration.accelerate(
          super.instantiate(conf, listeners, index, params, initialize, type), library, type);
    }
  }

  private static final class AcceleratedNormalization extends LocalResponseNormalization
      implements StoredAsDl4js {

    private static final long serialVersionUID = 1L;

    @JsonIgnore private final NativeLibrary library;

    AcceleratedNormalization(NativeLibrary library) {
      this.library = library;
    }

    @Override
    public org.deeplearning4j.nn.api.Layer instantiate(
        NeuralNetConfiguration conf,
        Collection<TrainingListener> listeners,
        int index,
        INDArray params,
        boolean initialize,
        DataType type) {
      return Acceleration.accelerate(
          super.instantiate(conf, listeners, index, params, initialize, type), library, type);
    }
  }

  private static final class AcceleratedOutput extends OutputLayer implements StoredAsDl4js {

    private static final long serialVersionUID = 1L;

    @JsonIgnore private final NativeLibrary library;

    AcceleratedOutput(NativeLibrary library) {
      this.library = library;
    }

    @Override
    public org.deeplearning4j.nn.api.Layer instantiate(
        NeuralNetConfiguration conf,
        Collection<TrainingListener> listeners,
        int index,
        INDArray params,
        boolean initialize,
        DataType type) {
      return Acceleration.accelerate(
          super.instantiate(conf, listeners, index, params, initialize, type), library, type);
    }
  }
}
