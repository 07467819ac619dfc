/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Algebra;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What goes into a layer, with what is known of its size: {@linkplain MapsInput feature maps} or
 * {@linkplain MatrixInput matrices}. Input of another shape is refused in the layer's name.
 */
interface LayerInput {

  /** Where there is nothing to check. */
  Runnable NO_CHECK = () -> {};

  /** What may be wrong where an input has another size than a layer. */
  String TWICE =
      "; a layer object that stands at two places of a network is sized for one of them: make a new"
          + " one for each";

  /** The size C of an input type: channels, or rows of the matrix. */
  long sizeOf(InputType type);

  /** Refuses an input type that contradicts what is known. */
  void requireFit(InputType type);

  /** Where the channels of an input type are; null for matrices. */
  CNN2DFormat formatOf(InputType type);

  /** What DL4J puts before the layer; null for nothing. */
  InputPreProcessor preProcessorFor(InputType type, String layerName);

  /** Refuses an array of another shape. */
  void requireShape(INDArray input);

  /**
   * Refuses an array by its numbers, now or when what it returns is run.
   *
   * @param wasChecked whether an earlier pass of the training was checked: much may be left out
   */
  Runnable checked(INDArray input, Algebra algebra, boolean wasChecked);

  /** Whether the input may lose what a dropout takes. */
  boolean allows(IDropout dropout);

  /** A dropout that knows the shape of the input. */
  IDropout told(IDropout dropout);

  /** A configuration that cannot be used. */
  static DL4JInvalidConfigException invalidConfig(String layer, String wants, String got) {
    return new DL4JInvalidConfigException(layer + ": expected " + wants + ", got " + got);
  }
}
