/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.nd4j.linalg.api.ndarray.INDArray;

/** What comes out of a layer for each example. */
enum LayerOutput {
  /** A symmetric matrix [1, size, size]. */
  MATRIX {
    @Override
    InputType of(long size, InputType input) {
      return InputType.convolutional(size, size, 1);
    }
  },

  /** A vector of this size. */
  VECTOR {
    @Override
    InputType of(long size, InputType input) {
      return InputType.feedForward(size);
    }

    @Override
    INDArray maskOf(INDArray examples) {
      return examples.reshape(examples.length(), 1);
    }
  },

  /** So many feature maps, as large as those of the input. */
  MAPS {
    @Override
    InputType of(long size, InputType input) {
      InputTypeConvolutional maps = (InputTypeConvolutional) input;
      return InputType.convolutional(maps.getHeight(), maps.getWidth(), size, maps.getFormat());
    }
  };

  /** The type of an output of some size, for a type of input. */
  abstract InputType of(long size, InputType input);

  /** The mask of examples of the output: DL4J wants its rank to be that of the output. */
  INDArray maskOf(INDArray examples) {
    return examples.reshape(examples.length(), 1, 1, 1);
  }
}
