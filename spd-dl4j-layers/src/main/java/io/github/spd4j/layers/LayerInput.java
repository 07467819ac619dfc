/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.runtime.Counted;
import java.util.Arrays;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.linalg.api.buffer.DataType;
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

  /** What error messages call the layer. */
  String layer();

  /** Refuses a mask that says nothing of this input. */
  default void requireMask(INDArray mask) {
    if (!isOfExamples(mask)) {
      throw invalidMask("of the examples, [N, 1] or [N, 1, 1, 1]", mask);
    }
  }

  /** What a mask leaves of an input of the right shape. */
  default Counted counted(INDArray mask, INDArray input) {
    requireMask(mask);
    if (mask.size(0) != input.size(0)) {
      throw invalidMask("of " + input.size(0) + " examples, as many as the input has", mask);
    }
    double[] numbers = zerosAndOnes(mask);
    boolean[] counts = new boolean[numbers.length];
    boolean any = false;
    for (int i = 0; i < counts.length; i++) {
      counts[i] = numbers[i] == 1;
      any |= counts[i];
    }
    if (!any) {
      throw invalidMask("with an example that counts; leave the batch out", mask);
    }
    return Counted.examples(counts);
  }

  /** Whether a mask has one number for each example. */
  static boolean isOfExamples(INDArray mask) {
    return (mask.rank() == 2 || mask.rank() == 4) && mask.length() == mask.size(0);
  }

  /** The numbers of a mask in C order: what is neither 0 nor 1 is refused. */
  default double[] zerosAndOnes(INDArray mask) {
    double[] numbers = mask.castTo(DataType.DOUBLE).dup('c').data().asDouble();
    for (double number : numbers) {
      if (number != 0 && number != 1) {
        throw invalidMask("of zeros and ones, not " + number, mask);
      }
    }
    return numbers;
  }

  /** A mask that cannot be used. */
  default DL4JInvalidInputException invalidMask(String wants, INDArray mask) {
    return new DL4JInvalidInputException(
        String.format(
            "%s: expected a mask %s, got shape %s", layer(), wants, Arrays.toString(mask.shape())));
  }

  /** Whether the input may lose what a dropout takes. */
  boolean allows(IDropout dropout);

  /** A dropout that knows the shape of the input. */
  IDropout told(IDropout dropout);

  /** A configuration that cannot be used. */
  static DL4JInvalidConfigException invalidConfig(String layer, String wants, String got) {
    return new DL4JInvalidConfigException(layer + ": expected " + wants + ", got " + got);
  }
}
